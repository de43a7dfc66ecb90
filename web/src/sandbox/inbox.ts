import { queryOptions } from '@tanstack/react-query';
import type { SandboxMessage } from '#contract/deployment.ts';
import { ApiError } from '../api/call.ts';

/** What the sandbox delivered, newest first; on the dashboard's own origin, for the machine itself only. */
export const inbox = queryOptions({
  queryKey: ['sandbox-messages'],
  queryFn: async ({ signal }): Promise<SandboxMessage[]> => {
    const answer = await fetch('/sandbox/messages', { signal, headers: { accept: 'application/json' } });
    if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => undefined));
    return answer.json();
  },
  refetchInterval: 2_000,
  // an open inbox beside the editor goes on living
  refetchIntervalInBackground: true,
});
