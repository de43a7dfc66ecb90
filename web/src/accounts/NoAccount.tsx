import { Button } from '@mantine/core';
import { AccountNameBody, createAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { call } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { AccountNameField } from './AccountNameField.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { Intro, OtherPage } from './FormText.tsx';
import { openNewAccount } from './own-accounts.ts';
import { useSignOut } from './sign-out.ts';

/** For a person who has left every account. */
export function NoAccount() {
  const signOut = useSignOut();
  const form = useBodyForm({
    schema: AccountNameBody,
    initialValues: { name: '' },
    submit: (body) => call(createAccount, { body }),
    failure: 'Failed to create the account',
    onSuccess: openNewAccount,
  });
  return (
    <AuthLayout>
      <Intro title="You have no account">
        You are not a member of any account. Create one, or open the link in an invitation that you received
        by email.
      </Intro>
      <Form form={form} label="Create an account">
        <AccountNameField {...form.field('name')} />
        <SubmitButton form={form} busy="Creating..." fullWidth>
          Create Account
        </SubmitButton>
      </Form>
      <OtherPage>
        <Button variant="subtle" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          {signOut.isPending ? 'Logging out...' : 'Log Out'}
        </Button>
      </OtherPage>
    </AuthLayout>
  );
}
