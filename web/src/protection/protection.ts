import { getProtection, listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { read } from '../api/read.ts';

const REFETCH_MS = 15_000;

export const protectionSettings = read(getProtection, {});
export const blocks = read(listBlocks, {}, { refetchInterval: REFETCH_MS });
export const spending = read(getSpend, {}, { refetchInterval: REFETCH_MS });
