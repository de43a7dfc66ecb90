import { AccountNameBody, createAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { AccountNameField } from './AccountNameField.tsx';
import { openNewAccount } from './own-accounts.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Creates an account of the same person, and opens it. */
export const CreateAccountDialog = (dialog: Props) => (
  <FormDialog
    {...dialog}
    title="Create Account"
    description="A separate account, with its own credits, API keys, settings and members. You are its owner."
    confirm="Create Account"
    busy="Creating..."
    form={{
      schema: AccountNameBody,
      initialValues: { name: '' },
      submit: (body) => call(createAccount, { body }),
      failure: 'Failed to create the account',
      onSuccess: openNewAccount,
    }}
  >
    {({ field }) => <AccountNameField data-autofocus {...field('name')} />}
  </FormDialog>
);
