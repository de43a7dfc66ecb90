import { Alert, TextInput } from '@mantine/core';
import { SignInBody, signIn, type Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { EMAIL_MESSAGE, PASSWORD_MESSAGE, password } from '@sixdigit/contract/field.ts';
import {
  type Assertion,
  signInWithPasskey,
  startPasskeySignIn,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent } from 'react';
import { call, sentence } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { otherPages } from '../pages.ts';
import { ButtonLink, LoneLink, PageLink } from '../ui/links.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import classes from './AuthLayout.module.css';
import { useEntry } from './enter.ts';
import { Intro, OtherPage } from './FormText.tsx';
import { useInvited } from './invitation.ts';
import { PasskeyButton } from './PasskeyButton.tsx';
import { cancelAutofill, canUsePasskeys, getAutofilledCredential } from './passkey.ts';
import { SecondStep } from './SecondStep.tsx';

interface Props {
  onEnter: (tokens: Tokens) => unknown;
  onProblem: (problem: string | undefined) => void;
}

const start = () => call(startPasskeySignIn);
const finish = (credential: Assertion) => call(signInWithPasskey, { body: { credential } });

/** Signs in with only a passkey, from the email field's autofill or with the button. */
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
      <div className={`${classes.or} my-4 flex items-center gap-3 text-13 text-ink-soft`}>or</div>
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

const SsoSignIn = lazy(async () => ({ default: (await import('./sso/SsoSignIn.tsx')).SsoSignIn }));

export function SignIn() {
  const { sso } = useSearch({ from: '/_auth/sign-in' });
  const invited = useInvited();
  if (invited === 'loading') return null;
  if (sso)
    return (
      <Suspense>
        <SsoSignIn />
      </Suspense>
    );
  return <SignInForm invited={invited?.email} />;
}

/** `invited`: the address of the invitation that the visitor wants to accept */
function SignInForm({ invited }: { invited: string | undefined }) {
  const { reset, ended } = useSearch({ from: '/_auth/sign-in' });
  const { enter, step, setStep, onReply } = useEntry('sign-in');

  const form = useBodyForm({
    schema,
    initialValues: { email: invited ?? '', password: '' },
    whenEmpty: { email: EMAIL_MESSAGE, password: PASSWORD_MESSAGE },
    submit: (body) => call(signIn, { body }),
    failure: 'An unexpected error occurred',
    onSuccess: onReply,
  });

  if (step?.session_token)
    return <SecondStep step={step} sessionToken={step.session_token} onStep={setStep} />;
  return (
    <>
      <Intro title={otherPages.signIn.title}>Welcome back.</Intro>
      {reset ? (
        <Alert color="green" variant="light" className="mb-4">
          Your password has been changed. Sign in with the new one.
        </Alert>
      ) : null}
      {ended && !reset ? (
        <Alert color="orange" variant="light" className="mb-4">
          Your session has ended. Please sign in again.
        </Alert>
      ) : null}
      <Form form={form}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username webauthn"
          autoFocus={invited === undefined}
          readOnly={invited !== undefined}
          {...form.field('email')}
        />
        <PasswordInput label="Password" autoComplete="current-password" {...form.field('password')} />
        <LoneLink to="/forgot-password" className="-mt-2 self-end text-14">
          Forgot your password?
        </LoneLink>
        <SubmitButton form={form} busy="Signing in..." fullWidth>
          Sign In
        </SubmitButton>
      </Form>
      <PasskeySignIn onEnter={enter} onProblem={form.setProblem} />
      <ButtonLink
        to="/sign-in"
        search={(before) => ({ ...before, sso: true })}
        variant="default"
        fullWidth
        mt="sm"
      >
        Sign In with SSO
      </ButtonLink>
      <OtherPage>
        New here?{' '}
        <PageLink to="/sign-up" search={true}>
          Sign Up
        </PageLink>
      </OtherPage>
    </>
  );
}
