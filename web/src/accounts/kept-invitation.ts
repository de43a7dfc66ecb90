import { tabData } from '../api/site-data.ts';

const KEY = 'invitation';

/** The token of the invitation that this tab has opened. */
export const keepInvitation = (token: string | null): void => void tabData.set(KEY, token);
export const keptInvitation = (): string => tabData.get(KEY) ?? '';
