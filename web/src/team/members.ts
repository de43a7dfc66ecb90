import { listInvitations } from '@sixdigit/contract/accounts/invitations.ts';
import { listMembers } from '@sixdigit/contract/accounts/members.ts';
import type { OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ownAccounts } from '../accounts/own-accounts.ts';
import { deployment } from '../api/deployment.ts';
import { read } from '../api/read.ts';

/** For open panels, because no live event reports changes of people, invitations and single sign-on. */
export const whileOpen = { refetchInterval: 10_000 };

export const members = read(listMembers, {});

/** The account that the screen shows. Undefined until it is loaded. */
export function useShownAccount(): OwnAccount | undefined {
  const { data: user } = useQuery(currentUser);
  const { data: accounts } = useQuery(ownAccounts);
  return accounts?.results.find(({ id }) => id === user?.account_id);
}

/** A sandbox without mail shows the links to copy. */
export const invitations = () =>
  read(listInvitations, { query: deployment().sandbox ? { links: 'true' } : {} });
