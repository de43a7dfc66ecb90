import type { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../api/call.ts';

/** The sandbox's messages, newest first. The dashboard's origin serves them to this machine only. */
export const inbox = queryOptions({
  queryKey: ['sandbox-messages'],
  queryFn: async ({ signal }): Promise<SandboxMessage[]> => {
    const answer = await fetch('/sandbox/messages', { signal, headers: { accept: 'application/json' } });
    if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => undefined));
    return answer.json();
  },
  refetchInterval: 2_000,
  // Refetches in the background, for an inbox that stays open next to an editor.
  refetchIntervalInBackground: true,
});
