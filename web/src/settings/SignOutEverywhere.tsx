import { Button } from '@mantine/core';
import { endAllSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SIGN_OUT } from '../accounts/sign-out.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { dropTokens } from '../api/session.ts';
import { LazyConfirmDialog } from '../ui/LazyConfirmDialog.tsx';

export function SignOutEverywhere() {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const end = useAction({
    key: SIGN_OUT,
    run: async () => {
      // They would come back refused.
      await queryClient.cancelQueries();
      return call(endAllSessions, { body: {} });
    },
    success: 'Signed out everywhere',
    failure: 'Failed to sign out everywhere',
    done: async () => {
      dropTokens();
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
        Sign Out Everywhere
      </Button>
      <LazyConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign Out Everywhere"
        confirm="Sign Out Everywhere"
        isDangerous
        isBusy={end.isPending}
        onConfirm={() => end.mutate()}
      >
        <p className="m-0 text-ink-soft">
          Every device is signed out at once, this one included. API keys keep working.
        </p>
      </LazyConfirmDialog>
    </>
  );
}
