import { TextInput, type TextInputProps } from '@mantine/core';

/** The name of an account, in forms that create or rename one. */
export const AccountNameField = (props: TextInputProps) => (
  <TextInput
    label="Account name"
    description="Members see it in the list of their accounts."
    placeholder="Example Inc."
    autoComplete="organization"
    maxLength={100}
    {...props}
  />
);
