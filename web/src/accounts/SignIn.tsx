import { Alert, PasswordInput, TextInput } from '@mantine/core';
import { SignInBody, signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { EMAIL_MESSAGE, PASSWORD_MESSAGE, password } from '@sixdigit/contract/field.ts';
import { useSearch } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { otherPages } from '../pages.ts';
import { PageLink } from '../ui/links.tsx';
import classes from './auth.module.css';
import { useEntry } from './enter.ts';
import { PasskeySignIn } from './PasskeySignIn.tsx';
import { SecondStep } from './SecondStep.tsx';

const schema = SignInBody.extend({ password });

export function SignIn() {
  const { reset, ended } = useSearch({ from: '/_auth/sign-in' });
  const { enter, step, setStep, onReply } = useEntry('sign-in');

  const form = useBodyForm({
    schema,
    initialValues: { email: '', password: '' },
    whenEmpty: { email: EMAIL_MESSAGE, password: PASSWORD_MESSAGE },
    submit: (body) => call(signIn, { body }),
    failure: 'An unexpected error occurred',
    onSuccess: onReply,
  });

  if (step?.session_token)
    return <SecondStep step={step} sessionToken={step.session_token} onStep={setStep} />;
  return (
    <>
      <h1>{otherPages.signIn.title}</h1>
      <p className={classes.lead}>Welcome back.</p>
      {reset ? (
        <Alert color="green" variant="light" className={classes.done}>
          Your password has been changed. Sign in with the new one.
        </Alert>
      ) : null}
      {ended && !reset ? (
        <Alert color="orange" variant="light" className={classes.done}>
          Your session has ended. Please sign in again.
        </Alert>
      ) : null}
      <Form form={form}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username webauthn"
          autoFocus
          {...form.fields.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          {...form.fields.getInputProps('password')}
        />
        <PageLink to="/forgot-password" className={classes.forgot}>
          Forgot your password?
        </PageLink>
        <SubmitButton form={form} busy="Signing in..." fullWidth>
          Sign In
        </SubmitButton>
      </Form>
      <PasskeySignIn onEnter={enter} onProblem={form.setProblem} />
      <p className={classes.other}>
        New here?{' '}
        <PageLink to="/sign-up" search={true}>
          Sign Up
        </PageLink>
      </p>
    </>
  );
}
