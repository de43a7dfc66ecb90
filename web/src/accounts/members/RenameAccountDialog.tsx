import { AccountNameBody, listAccounts, renameAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { AccountNameField } from '../AccountNameField.tsx';
import { currentUser } from '../current-user.ts';
import { ownAccounts } from '../own-accounts.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export function RenameAccountDialog(dialog: Props) {
  const { data: user } = useQuery(currentUser);
  const { data: accounts } = useQuery(ownAccounts);
  const shown = accounts?.results.find(({ id }) => id === user?.account_id);
  return (
    <FormDialog
      {...dialog}
      title="Rename Account"
      description="The addresses of the dashboard stay the same."
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
