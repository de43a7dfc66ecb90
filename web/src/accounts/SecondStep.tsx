import { Button } from '@mantine/core';
import type { AuthReply } from '@sixdigit/contract/accounts/sign-in.ts';
import { type SecondFactor, sendSignInCode } from '@sixdigit/contract/second-factors/second-factors.ts';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { deployment } from '../api/deployment.ts';
import classes from './auth.module.css';
import { EnterRecoveryCode } from './EnterRecoveryCode.tsx';
import { PasskeyStep } from './PasskeyStep.tsx';
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

/** The second step of a sign-in: the account's strongest factor first, and every other one on request. */
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
    // A code that is already on its way still works.
    if (isSent && step.two_factor_method !== next) send.mutate();
    else setMethod(next);
  };
  const common = { sessionToken, back: 'Back to Sign In', onBack: () => onStep(undefined) } as const;
  const others = (step.two_factor_methods ?? []).filter((other) => other !== method);
  const otherWays =
    others.length === 0 ? null : (
      <div className={classes.ways}>
        <p>Other ways to sign in</p>
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
      // A new way starts with an empty field.
      key={method}
      {...common}
      method={method}
      sentTo={step.sent_to}
    >
      {otherWays}
    </VerifyCode>
  );
}
