import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, updateLowBalance } from '@sixdigit/contract/accounts/branding.ts';
import { useQuery } from '@tanstack/react-query';
import { branding } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { DialogForm } from '../form/FormDialog.tsx';
import { wholeNumber } from '../form/whole-number.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { LowBalanceInput } from './LowBalanceInput.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

const TITLE = 'Low-balance Warnings';

/** Changes the threshold of the warnings, and no other setting. */
export const LowBalanceDialog = ({ opened, onClose }: Props) => (
  <Dialog opened={opened} onClose={onClose} title={TITLE} size="md">
    <Threshold onClose={onClose} />
  </Dialog>
);

function Threshold({ onClose }: Pick<Props, 'onClose'>) {
  const query = useQuery(branding);
  return (
    <Loaded query={query} failure="Failed to load the threshold">
      {({ low_balance_threshold }) => (
        <DialogForm
          onClose={onClose}
          label={TITLE}
          confirm="Save"
          busy="Saving..."
          success="Warnings saved"
          // The notice of a low balance appears on every screen.
          refresh={[getBranding, getMe]}
          form={{
            schema: updateLowBalance.body,
            initialValues: { low_balance_threshold: String(low_balance_threshold ?? '') },
            toBody: (values) => ({ low_balance_threshold: wholeNumber(values.low_balance_threshold, null) }),
            submit: (body) => call(updateLowBalance, { body }),
            failure: 'Failed to save the threshold',
          }}
        >
          {(form) => (
            <LowBalanceInput
              isDefault={low_balance_threshold === null}
              {...form.field('low_balance_threshold')}
            />
          )}
        </DialogForm>
      )}
    </Loaded>
  );
}
