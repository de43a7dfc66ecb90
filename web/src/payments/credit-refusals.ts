import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** More segments than the longest SMS of any deployment has. */
const SEGMENTS_MOST = 10;
const REFETCH_MS = 30_000;

/** Whether any send can cost more than a balance above 0. */
export const shortFor = (sends: readonly SendPrice[], credits: number): boolean =>
  credits > 0 &&
  sends.some((price) => price.credits * (price.unit === 'segment' ? SEGMENTS_MOST : 1) > credits);

/** Whether a send of the last 24 hours was refused for lack of credits. */
export const newestRefusal = queryOptions({
  queryKey: ['payments', 'newest-refusal'],
  queryFn: async ({ signal }): Promise<boolean> => {
    const { results } = await call(listRequestLogs, {
      query: { status_code: '402', created_after: '1', search: 'insufficient_credits', page_size: 1 },
      signal,
    });
    return results.some(({ reason }) => reason === 'insufficient_credits');
  },
  refetchInterval: REFETCH_MS,
});
