import { AccountNameBody, listAccounts, renameAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { AccountNameField } from '../accounts/AccountNameField.tsx';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { useShownAccount } from './members.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export function RenameAccountDialog(dialog: Props) {
  const shown = useShownAccount();
  return (
    <FormDialog
      {...dialog}
      title="Rename Account"
      description="Links to the dashboard stay the same."
      confirm="Rename"
      busy="Saving..."
      success="Account renamed"
      refresh={[listAccounts]}
      formKey={shown?.name}
      form={{
        schema: AccountNameBody,
        initialValues: { name: shown?.name ?? '' },
        submit: (body) => call(renameAccount, { body }),
        failure: 'Failed to rename the account',
      }}
    >
      {({ field }) => <AccountNameField data-autofocus {...field('name')} />}
    </FormDialog>
  );
}
