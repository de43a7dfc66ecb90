import { Button, TextInput } from '@mantine/core';
import { eraseAccount } from '@sixdigit/contract/operator/erasures.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { ACCOUNTS } from '../operator.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  id: string;
  email: string;
}

/** The operator types the address of the account, because an erasure cannot be undone. */
export const EraseAccountDialog = ({ opened, onClose, ...account }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Erase Account"
    description="Its sessions, API keys and webhooks end at once, and its personal data is removed. The ledger stays, without a name. The owner gets a mail. This cannot be undone."
  >
    <EraseForm {...account} onClose={onClose} />
  </Dialog>
);

function EraseForm({ id, email, onClose }: Omit<Props, 'opened'>) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: eraseAccount.body.refine((body) => body.email === email, {
      path: ['email'],
      message: 'This is not the email address of the account.',
    }),
    initialValues: { email: '', reason: '' },
    submit: (body) => call(eraseAccount, { params: { id }, body }),
    failure: 'The account could not be erased',
    onSuccess: () => {
      toast.success('Account erased');
      onClose();
      void queryClient.invalidateQueries({ queryKey: ACCOUNTS });
    },
  });
  return (
    <Form form={form} label="Erase Account">
      <TextInput
        label="Email address of the account"
        description={email}
        autoComplete="off"
        data-autofocus
        {...form.fields.getInputProps('email')}
      />
      <TextInput label="Reason" autoComplete="off" {...form.fields.getInputProps('reason')} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} color="red" busy="Erasing...">
          Erase Account
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
