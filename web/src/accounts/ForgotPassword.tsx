import { Button, TextInput } from '@mantine/core';
import { forgotPassword, ResetPasswordBody, resetPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { EMAIL_MESSAGE } from '@sixdigit/contract/field.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { NewPasswordFields, whenPasswordsEmpty } from '../form/NewPasswordFields.tsx';
import { otherPages } from '../pages.ts';
import { BackToSignIn, Intro, Notice } from './FormText.tsx';
import { CODE_LENGTH_MESSAGE } from './VerifyCode.tsx';

/** Asks for the email address, then for the code from the email and a new password. The link in the email needs no code. */
export function ForgotPassword() {
  const [sent, setSent] = useState<{ email: string; session_token: string }>();
  return sent ? (
    <NewPassword {...sent} onBack={() => setSent(undefined)} />
  ) : (
    <AskForCode onSent={(email, session_token) => setSent({ email, session_token })} />
  );
}

const sendsMail = (): boolean => deployment().channels.includes('email');

function AskForCode({ onSent }: { onSent: (email: string, sessionToken: string) => void }) {
  const form = useBodyForm({
    schema: forgotPassword.body,
    initialValues: { email: '' },
    whenEmpty: { email: EMAIL_MESSAGE },
    submit: (body) => call(forgotPassword, { body }),
    failure: 'An unexpected error occurred',
    onSuccess: ({ session_token }, { email }) => onSent(email.trim(), session_token),
  });
  return (
    <>
      <Intro title={otherPages.forgotPassword.title}>
        {sendsMail()
          ? 'We will email you a link and a code.'
          : 'We will text a code to your account’s phone number.'}
      </Intro>
      <Form form={form}>
        <TextInput label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <SubmitButton form={form} busy="Sending..." fullWidth>
          {sendsMail() ? 'Send Email' : 'Send Code'}
        </SubmitButton>
      </Form>
      <BackToSignIn />
    </>
  );
}

function NewPassword(props: { email: string; session_token: string; onBack: () => void }) {
  const { email, session_token, onBack } = props;
  const navigate = useNavigate();
  const form = useBodyForm({
    schema: ResetPasswordBody,
    initialValues: { code: '', password: '', confirm_password: '' },
    toBody: (values) => ({ ...values, session_token }),
    whenEmpty: { code: CODE_LENGTH_MESSAGE, ...whenPasswordsEmpty },
    submit: (body) => call(resetPassword, { body }),
    failure: 'Invalid verification code',
    onSuccess: () => navigate({ to: '/sign-in', search: { reset: true } }),
  });
  return (
    <>
      <Intro title={otherPages.resetPassword.title}>
        {sendsMail()
          ? `If ${email} has an account, we have sent it an email. Open the link in the email, or enter its 6-digit code here.`
          : `If ${email} has an account, a 6-digit code is on its way to its phone number.`}
      </Intro>
      <Form form={form}>
        {/* tells password managers which account the password belongs to */}
        <input type="hidden" autoComplete="username" value={email} readOnly />
        {sendsMail() ? (
          <Notice>
            If the newest email has no code, or no new email arrives, use any link that we sent you in the
            last 30 minutes.
          </Notice>
        ) : null}
        <CodeInput label="Verification code" autoFocus {...form.field('code')} />
        <NewPasswordFields form={form} label="New password" />
        <SubmitButton form={form} busy="Saving..." fullWidth>
          Change Password
        </SubmitButton>
        <Button variant="subtle" onClick={onBack}>
          Use Another Email
        </Button>
      </Form>
    </>
  );
}
