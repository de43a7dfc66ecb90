import { Button } from '@mantine/core';
import { RESEND_COOLDOWN_SECONDS, resendTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, call, sentence } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { toast } from '../api/toast.ts';

interface Props {
  sessionToken: string;
  onProblem: (problem: string | undefined) => void;
}

/** Resends the code of a verification session, at most every 30 s. */
export function ResendButton({ sessionToken, onProblem }: Props) {
  const resend = useResend(() => call(resendTwoFactor, { body: { session_token: sessionToken } }), onProblem);
  return (
    <Button variant="default" disabled={resend.isResting} loading={resend.isBusy} onClick={resend.send}>
      {resend.isResting ? `Resend Code (${resend.secondsLeft}s)` : 'Resend Code'}
    </Button>
  );
}

/** Resends the code, then stays disabled for 30 s or for the server's `retry_after`. */
function useResend(
  ask: () => Promise<{ retry_after: number }>,
  onProblem: (problem: string | undefined) => void,
) {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(Date.now);
  const secondsLeft = Math.max(0, Math.ceil((until - now) / 1000));
  const isResting = secondsLeft > 0;

  useEffect(() => {
    if (!isResting) return;
    const ticking = setInterval(() => setNow(nowMs()), 250);
    return () => clearInterval(ticking);
  }, [isResting]);

  const restFor = (seconds: number): void => {
    setNow(nowMs());
    setUntil(nowMs() + seconds * 1000);
  };
  const mutation = useMutation({
    mutationFn: ask,
    onMutate: () => onProblem(undefined),
    onSuccess: () => {
      restFor(RESEND_COOLDOWN_SECONDS);
      toast.success('A new code is on its way');
    },
    onError: (cause) => {
      console.error(cause);
      const wait = cause instanceof ApiError ? cause.facts.retry_after : undefined;
      if (cause instanceof ApiError && cause.reason === 'resend_too_soon' && wait) restFor(wait);
      onProblem(sentence(cause, 'Failed to resend code'));
    },
  });
  return { send: () => mutation.mutate(), isBusy: mutation.isPending, isResting, secondsLeft };
}
