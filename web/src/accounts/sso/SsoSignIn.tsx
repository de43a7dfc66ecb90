import { TextInput } from '@mantine/core';
import { startSso } from '@sixdigit/contract/accounts/sso.ts';
import { EMAIL_MESSAGE } from '@sixdigit/contract/field.ts';
import { useSearch } from '@tanstack/react-router';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { BackToSignIn, Intro } from '../FormText.tsx';
import { beginSso } from './sso-login.ts';

/** Asks for the address, whose domain chooses the identity provider. */
export function SsoSignIn() {
  const { redirect = '/' } = useSearch({ from: '/_auth' });
  const form = useBodyForm({
    schema: startSso.body,
    initialValues: { email: '' },
    whenEmpty: { email: EMAIL_MESSAGE },
    submit: ({ email }) => beginSso(email, redirect),
    failure: 'An unexpected error occurred',
  });
  return (
    <>
      <Intro title="Sign in with SSO">Enter your work email. Your organization’s sign-in page opens.</Intro>
      <Form form={form}>
        <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <SubmitButton form={form} busy="Opening..." fullWidth>
          Continue
        </SubmitButton>
      </Form>
      <BackToSignIn />
    </>
  );
}
