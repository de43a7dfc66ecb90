import { Button, type ButtonProps } from '@mantine/core';
import type { Assertion } from '@sixdigit/contract/second-factors/passkeys.ts';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ApiError, sentence } from '../api/call.ts';
import { getCredential, passkeyProblem } from './passkey.ts';

interface Props<Result> extends ButtonProps {
  start: () => Promise<{ options: object }>;
  finish: (credential: Assertion) => Promise<Result>;
  onDone: (result: Result) => unknown;
  onProblem: (problem: string | undefined) => void;
  /** Called if the passkey's counter did not increase. For a day, the account then also accepts a sent code. */
  onSuspected?: () => void;
  children: string;
  autoFocus?: boolean;
}

/** Requests a passkey from the browser and sends the assertion. */
export function PasskeyButton<Result>(props: Props<Result>) {
  const { start, finish, onDone, onProblem, onSuspected, children, ...rest } = props;
  const mutation = useMutation({
    mutationFn: async () => finish(await getCredential((await start()).options)),
    onMutate: () => onProblem(undefined),
    onSuccess: onDone,
    onError: (cause) => {
      console.error(cause);
      if (cause instanceof ApiError && cause.reason === 'passkey_suspected') onSuspected?.();
      onProblem(passkeyProblem(cause) ?? sentence(cause, 'The passkey could not be verified.'));
    },
  });
  return (
    <Button
      leftSection={<IconFingerprint size={18} stroke={1.75} aria-hidden />}
      loading={mutation.isPending}
      onClick={() => mutation.mutate()}
      {...rest}
    >
      {children}
    </Button>
  );
}
