import { PASSWORD_MESSAGE, PASSWORD_MISMATCH } from '@sixdigit/contract/field.ts';
import type { ReactNode } from 'react';
import { PasswordInput } from '../ui/PasswordInput.ts';

/** Sentences for the empty fields. */
export const whenPasswordsEmpty = { password: PASSWORD_MESSAGE, confirm_password: PASSWORD_MISMATCH };

interface Props {
  form: { field: (name: 'password' | 'confirm_password') => { error?: ReactNode } };
  /** 'New password', or 'Password' at sign-up */
  label: 'Password' | 'New password';
  autoFocus?: boolean;
}

/** A new password, entered twice. */
export const NewPasswordFields = ({ form, label, autoFocus = false }: Props) => {
  const password = form.field('password');
  return (
    <>
      <PasswordInput
        label={label}
        // An error states the rule itself.
        description={password.error ? undefined : 'At least 8 characters'}
        autoComplete="new-password"
        autoFocus={autoFocus}
        {...password}
      />
      <PasswordInput
        label="Confirm password"
        autoComplete="new-password"
        {...form.field('confirm_password')}
      />
    </>
  );
};
