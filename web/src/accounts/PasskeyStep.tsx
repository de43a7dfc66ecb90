import { Button } from '@mantine/core';
import { startPasskeyStep, verifyPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import classes from './auth.module.css';
import { useEnter } from './enter.ts';
import { PasskeyButton } from './PasskeyButton.tsx';

interface Props {
  sessionToken: string;
  back: string;
  onBack: () => void;
  onSuspected: () => void;
  children: ReactNode;
}

/** A passkey as the second factor, after the password. */
export function PasskeyStep({ sessionToken: session_token, back, onBack, onSuspected, children }: Props) {
  const enter = useEnter();
  const [problem, setProblem] = useState<string>();
  return (
    <>
      <h1>Use your passkey</h1>
      <p className={classes.lead}>
        Your device asks for your fingerprint, your face or its PIN, or for a security key.
      </p>
      <div className={classes.minor}>
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
