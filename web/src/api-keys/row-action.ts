import type { ApiKey } from '#contract/api-keys.ts';

/** What the buttons of a row open. */
export type Action = 'edit' | 'rotate' | 'delete';
export type Choose = (action: Action, key: ApiKey) => void;
