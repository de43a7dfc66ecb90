import { PasswordInput } from '@mantine/core';
import { PASSWORD_MESSAGE } from '#contract/field.ts';

/** Sentences for the empty fields. */
export const whenPasswordsEmpty = { password: PASSWORD_MESSAGE, confirm_password: PASSWORD_MESSAGE };

interface Props {
  fields: { getInputProps: (name: 'password' | 'confirm_password') => object };
  /** 'New Password', or 'Password' at sign-up */
  label: 'Password' | 'New Password';
  autoFocus?: boolean;
}

/** A new password, entered twice. */
export const NewPasswordFields = ({ fields, label, autoFocus = false }: Props) => (
  <>
    <PasswordInput
      label={label}
      description="At least 8 characters"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoComplete="new-password"
      autoFocus={autoFocus}
      {...fields.getInputProps('password')}
    />
    <PasswordInput
      label="Confirm Password"
      autoComplete="new-password"
      {...fields.getInputProps('confirm_password')}
    />
  </>
);
