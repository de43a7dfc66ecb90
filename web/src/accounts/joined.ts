import { listAccounts } from '@sixdigit/contract/accounts/own-accounts.ts';
import { call } from '../api/call.ts';
import { tabData } from '../api/site-data.ts';
import { NEXT } from '../api/toast.ts';
import { nameOf } from './own-accounts.ts';
import { roleNames } from './role-texts.ts';

/** What a person who has just joined an account reads on its first page. A new person has no other account. */
export async function joinedText(account_id?: string): Promise<string> {
  const { results } = await call(listAccounts);
  const account = results.find(({ id }) => id === account_id) ?? results[0];
  return account ? `You joined ${nameOf(account)} as ${roleNames[account.role]}` : 'You joined the account';
}

/** For a page that is about to load again. */
export const announceJoining = async (account_id: string): Promise<void> =>
  void tabData.set(NEXT, await joinedText(account_id));
