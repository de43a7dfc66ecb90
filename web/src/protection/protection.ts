import { getProtection, listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import type { QueryClient } from '@tanstack/react-query';
import { read } from '../api/read.ts';

const REFETCH_MS = 15_000;

export const protectionSettings = read(getProtection, {});
export const blocks = read(listBlocks, {}, { refetchInterval: REFETCH_MS });
export const spending = read(getSpend, {}, { refetchInterval: REFETCH_MS });

export function prefetchProtection(queryClient: QueryClient): void {
  void queryClient.prefetchQuery(protectionSettings);
  void queryClient.prefetchQuery(blocks);
  void queryClient.prefetchQuery(spending);
}
