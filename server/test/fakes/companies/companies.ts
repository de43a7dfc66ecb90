import { CHATS } from './chats.ts';
import { PHONES } from './phones.ts';
import { SIGNING } from './signing.ts';
import { UNSIGNED } from './unsigned.ts';
import type { Company } from './wire.ts';

export const COMPANIES: readonly Company[] = [...PHONES, ...SIGNING, ...UNSIGNED, ...CHATS];
