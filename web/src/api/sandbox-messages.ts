import type { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from './wire.ts';

/**
 * The sandbox's messages to all recipients or to one, newest first. The dashboard's origin serves them outside the contract, to
 * this machine only.
 */
export const sandboxMessages = (recipient?: string) =>
  queryOptions({
    queryKey: ['sandbox-messages', ...(recipient === undefined ? [] : [recipient])],
    queryFn: async ({ signal }): Promise<SandboxMessage[]> => {
      const query = recipient === undefined ? '' : `?recipient=${encodeURIComponent(recipient)}`;
      const answer = await fetch(`/sandbox/messages${query}`, {
        signal,
        headers: { accept: 'application/json' },
      });
      if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => undefined));
      return answer.json();
    },
  });
