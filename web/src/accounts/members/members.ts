import { listInvitations } from '@sixdigit/contract/accounts/invitations.ts';
import { listMembers } from '@sixdigit/contract/accounts/members.ts';
import { deployment } from '../../api/deployment.ts';
import { read } from '../../api/read.ts';

/** For open panels, because no live event reports changes of people, invitations and single sign-on. */
export const whileOpen = { refetchInterval: 10_000 };

export const members = read(listMembers, {});

/** A sandbox without mail shows the links to copy. */
export const invitations = () =>
  read(listInvitations, { query: deployment().sandbox ? { links: 'true' } : {} });
