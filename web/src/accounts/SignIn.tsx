import { Alert, PasswordInput, TextInput } from '@mantine/core';
import { SignInBody, signIn, type Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { EMAIL_MESSAGE, PASSWORD_MESSAGE, password } from '@sixdigit/contract/field.ts';
import {
  type Assertion,
  signInWithPasskey,
  startPasskeySignIn,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { call, sentence } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { otherPages } from '../pages.ts';
import { PageLink } from '../ui/links.tsx';
import classes from './auth.module.css';
import { useEntry } from './enter.ts';
import { PasskeyButton } from './PasskeyButton.tsx';
import { cancelAutofill, canUsePasskeys, getAutofilledCredential } from './passkey.ts';
import { SecondStep } from './SecondStep.tsx';

interface Props {
  onEnter: (tokens: Tokens) => unknown;
  onProblem: (problem: string | undefined) => void;
}

const start = () => call(startPasskeySignIn);
const finish = (credential: Assertion) => call(signInWithPasskey, { body: { credential } });

/** Signs in with a passkey alone: from the autofill of the e-mail field, or with the button. */
function PasskeySignIn({ onEnter, onProblem }: Props) {
  const enterAutofilled = useEffectEvent(async () => {
    try {
      const credential = await getAutofilledCredential(start);
      if (credential) await onEnter(await finish(credential));
    } catch (cause) {
      // Autofill begins without a click, so it fails silently unless the user has chosen a passkey.
      console.info(cause);
      onProblem(sentence(cause, 'The passkey could not be verified.'));
    }
  });
  useEffect(() => {
    if (!canUsePasskeys()) return;
    void enterAutofilled();
    return () => void cancelAutofill();
  }, []);
  if (!canUsePasskeys()) return null;
  return (
    <>
      <div className={classes.or}>or</div>
      <PasskeyButton
        variant="default"
        fullWidth
        start={start}
        finish={finish}
        onDone={onEnter}
        onProblem={onProblem}
      >
        Sign In with a Passkey
      </PasskeyButton>
    </>
  );
}

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
          {...form.field('email')}
        />
        <PasswordInput label="Password" autoComplete="current-password" {...form.field('password')} />
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
