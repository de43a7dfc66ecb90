import { Button, TextInput } from '@mantine/core';
import type { AuthReply } from '@sixdigit/contract/accounts/sign-in.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { startPasskeyStep, verifyPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  RecoveryCodeBody,
  type SecondFactor,
  sendSignInCode,
  verifyRecoveryCode,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { useEnter } from './enter.ts';
import { Intro } from './FormText.tsx';
import { PasskeyButton } from './PasskeyButton.tsx';
import { VerifyCode } from './VerifyCode.tsx';

interface Props {
  step: AuthReply;
  sessionToken: string;
  /** replaces the step, or discards it */
  onStep: (step: AuthReply | undefined) => void;
}

const INSTEAD: Record<SecondFactor, string> = {
  passkey: 'Use a passkey',
  authenticator: 'Use the authenticator app',
  sms: 'Send a code by SMS',
  email: 'Send a code by email',
  recovery_code: 'Use a recovery code',
};

/** The second step of a sign-in. Offers the account's strongest factor first and the others on request. */
export function SecondStep({ step, sessionToken, onStep }: Props) {
  const [method, setMethod] = useState(step.two_factor_method);
  const send = useAction({
    run: () => call(sendSignInCode, { body: { session_token: sessionToken } }),
    failure: 'Failed to send a code',
    done: (sent) => {
      onStep({ ...step, ...sent });
      setMethod(sent.two_factor_method);
    },
  });
  const choose = (next: SecondFactor): void => {
    const isSent = next === 'sms' || next === 'email';
    // A code that was already sent still works, so no other is sent.
    if (isSent && step.two_factor_method !== next) send.mutate();
    else setMethod(next);
  };
  const common = { sessionToken, back: 'Back to Sign In', onBack: () => onStep(undefined) } as const;
  const others = (step.two_factor_methods ?? []).filter((other) => other !== method);
  const otherWays =
    others.length === 0 ? null : (
      <div className="mt-6 grid gap-2 border-t border-line pt-5">
        <p className="m-0 text-14 text-ink-soft">Other ways to sign in</p>
        {others.map((other) => (
          <Button key={other} variant="default" loading={send.isPending} onClick={() => choose(other)}>
            {INSTEAD[other]}
          </Button>
        ))}
      </div>
    );
  const offerCode = (): void => {
    const methods = step.two_factor_methods ?? [];
    if (methods.includes('email') || methods.includes('sms')) return;
    const sent = deployment().channels.includes('email') ? 'email' : 'sms';
    onStep({ ...step, two_factor_methods: [...methods, sent] });
  };
  if (method === 'passkey')
    return (
      <PasskeyStep {...common} onSuspected={offerCode}>
        {otherWays}
      </PasskeyStep>
    );
  if (method === 'recovery_code') return <EnterRecoveryCode {...common}>{otherWays}</EnterRecoveryCode>;
  return (
    <VerifyCode
      // Each method starts with an empty field.
      key={method}
      {...common}
      method={method}
      sentTo={step.sent_to}
    >
      {otherWays}
    </VerifyCode>
  );
}

interface WayProps {
  sessionToken: string;
  back: string;
  onBack: () => void;
  /** other ways to sign in */
  children: ReactNode;
}

/** A passkey as the second factor, after the password. */
function PasskeyStep({
  sessionToken: session_token,
  back,
  onBack,
  onSuspected,
  children,
}: WayProps & { onSuspected: () => void }) {
  const enter = useEnter();
  const [problem, setProblem] = useState<string>();
  return (
    <>
      <Intro title="Use your passkey">
        Your device asks for your fingerprint, face, PIN or security key.
      </Intro>
      <div className="grid gap-2">
        <ErrorAlert problem={problem} />
        <PasskeyButton
          start={() => call(startPasskeyStep, { body: { session_token } })}
          finish={(credential) => call(verifyPasskey, { body: { session_token, credential } })}
          onDone={enter}
          onProblem={setProblem}
          onSuspected={onSuspected}
          autoFocus
        >
          Use Passkey
        </PasskeyButton>
        <Button variant="subtle" onClick={onBack}>
          {back}
        </Button>
      </div>
      {children}
    </>
  );
}

/** For a user who has lost the second factor. */
function EnterRecoveryCode({ sessionToken, back, onBack, children }: WayProps) {
  const enter = useEnter();
  const form = useBodyForm({
    schema: RecoveryCodeBody.pick({ recovery_code: true }),
    initialValues: { recovery_code: '' },
    whenEmpty: { recovery_code: REQUIRED },
    submit: ({ recovery_code }) =>
      call(verifyRecoveryCode, { body: { session_token: sessionToken, recovery_code } }),
    failure: 'Invalid recovery code',
    onSuccess: enter,
  });
  return (
    <>
      <Intro title="Enter a recovery code">
        Enter one of the codes that you stored when you set up your second factor. Each works once.
      </Intro>
      <Form form={form}>
        <TextInput
          label="Recovery code"
          placeholder="XXXX-XXXX-XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          {...form.field('recovery_code')}
        />
        <SubmitButton form={form} busy="Verifying..." fullWidth>
          Use Recovery Code
        </SubmitButton>
        <div className="grid gap-2">
          <Button variant="subtle" onClick={onBack}>
            {back}
          </Button>
        </div>
      </Form>
      {children}
    </>
  );
}
