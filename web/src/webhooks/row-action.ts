import type { Webhook } from '@sixdigit/contract/webhooks.ts';

/** Actions of a row's menu. */
export type RowAction = 'attempts' | 'edit' | 'rotate' | 'delete';
export type Choose = (action: RowAction, webhook: Webhook) => void;
