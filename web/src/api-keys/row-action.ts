import type { ApiKey } from '@sixdigit/contract/api-keys.ts';

/** The dialogs that the buttons of a row open. */
export type Action = 'edit' | 'rotate' | 'delete';
export type Choose = (action: Action, key: ApiKey) => void;
