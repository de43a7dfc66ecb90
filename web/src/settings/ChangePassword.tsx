import { PasswordInput } from '@mantine/core';
import { ChangePasswordBody, changePassword } from '@sixdigit/contract/accounts/passwords.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { call } from '../api/call.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { NewPasswordFields, whenPasswordsEmpty } from '../form/NewPasswordFields.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { toast } from '../ui/toast.ts';
import classes from './Settings.module.css';
import { sessions } from './settings.ts';

const empty = { current_password: '', password: '', confirm_password: '' };

/** Changes the password and ends all other sessions. */
export function ChangePassword() {
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const form = useBodyForm({
    schema: ChangePasswordBody,
    initialValues: empty,
    whenEmpty: whenPasswordsEmpty,
    submit: (body) => call(changePassword, { body }),
    failure: 'Failed to save changes',
    onSuccess: async () => {
      form.fields.reset();
      await queryClient.invalidateQueries(sessions);
      toast.success('Password changed successfully');
    },
  });
  return (
    <Form form={form} label="Change password">
      {/* tells password managers which account the password belongs to */}
      <input type="hidden" autoComplete="username" value={user?.email ?? ''} readOnly />
      <PasswordInput
        label="Current Password"
        autoComplete="current-password"
        {...form.fields.getInputProps('current_password')}
      />
      <div className={classes.pair}>
        <NewPasswordFields fields={form.fields} label="New Password" />
      </div>
      <SubmitButton form={form} busy="Saving..." className={classes.submit ?? ''}>
        Change Password
      </SubmitButton>
    </Form>
  );
}
