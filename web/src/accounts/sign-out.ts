import { signOut } from '@sixdigit/contract/accounts/tokens.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { SIGN_OUT } from '../api/queries.ts';
import { dropTokens, refreshToken } from '../api/session.ts';

interface SignInSearch {
  /** the page after the sign-in */
  redirect?: string;
}

/** Revokes the session on the server and opens the sign-in page, even if that call fails. */
export function useSignOut(search: SignInSearch = {}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: SIGN_OUT,
    mutationFn: async () => {
      const refresh = refreshToken();
      if (refresh === null) return;
      // The server would refuse calls that are still in flight.
      await queryClient.cancelQueries();
      await endOnServer(refresh);
    },
    onSettled: async () => {
      dropTokens();
      await navigate({ to: '/sign-in', search });
      queryClient.clear();
    },
  });
}

/** Ends the session of a refresh token. A failure is ignored, because the user goes on without the session anyway. */
export async function endOnServer(refresh: string): Promise<void> {
  await call(signOut, { body: { refresh }, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
}
