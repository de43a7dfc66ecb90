import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { dropTokens, refreshToken } from '../api/session.ts';

/** The key of the mutation, by which other parts know that the session is about to end. */
export const SIGN_OUT = ['sign-out'];

/** Signs out at the server and leaves, even if that call fails. */
export function useSignOut() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: SIGN_OUT,
    mutationFn: async () => {
      const refresh = refreshToken();
      if (refresh === null) return;
      // They would come back refused.
      await queryClient.cancelQueries();
      await call(signOut, { body: { refresh }, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    },
    onSettled: async () => {
      dropTokens();
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
}
