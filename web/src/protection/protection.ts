import { getProtection, listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** Prefix of all queries of the Protection screen. */
export const PROTECTION = ['protection'] as const;

const REFETCH_MS = 15_000;

export const protectionSettings = queryOptions({
  queryKey: [...PROTECTION, 'settings'],
  queryFn: ({ signal }) => call(getProtection, { signal }),
});

export const blocks = queryOptions({
  queryKey: [...PROTECTION, 'blocks'],
  queryFn: ({ signal }) => call(listBlocks, { signal }),
  refetchInterval: REFETCH_MS,
});

export const spending = queryOptions({
  queryKey: [...PROTECTION, 'spending'],
  queryFn: ({ signal }) => call(getSpend, { signal }),
  refetchInterval: REFETCH_MS,
});
