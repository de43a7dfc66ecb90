import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  type Assertion,
  signInWithPasskey,
  startPasskeySignIn,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { useEffect, useEffectEvent } from 'react';
import { call, sentence } from '../api/call.ts';
import classes from './auth.module.css';
import { PasskeyButton } from './PasskeyButton.tsx';
import { cancelAutofill, canUsePasskeys, getAutofilledCredential } from './passkey.ts';

interface Props {
  onEnter: (tokens: Tokens) => unknown;
  onProblem: (problem: string | undefined) => void;
}

const start = () => call(startPasskeySignIn);
const finish = (credential: Assertion) => call(signInWithPasskey, { body: { credential } });

/** Signs in with a passkey alone: from the autofill of the e-mail field, or with the button. */
export function PasskeySignIn({ onEnter, onProblem }: Props) {
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
