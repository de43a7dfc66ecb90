import { Button } from '@mantine/core';
import { resendTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { call } from '../api/call.ts';
import { useResend } from './resend.ts';

interface Props {
  sessionToken: string;
  onProblem: (problem: string | undefined) => void;
}

/** Sends the code of a verification session again, at most every 30 s. */
export function ResendButton({ sessionToken, onProblem }: Props) {
  const resend = useResend(() => call(resendTwoFactor, { body: { session_token: sessionToken } }), onProblem);
  return (
    <Button variant="default" disabled={resend.isResting} loading={resend.isBusy} onClick={resend.send}>
      {resend.isResting ? `Resend Code (${resend.secondsLeft}s)` : 'Resend Code'}
    </Button>
  );
}
