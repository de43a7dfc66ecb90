import { listInvitations } from '@sixdigit/contract/accounts/invitations.ts';
import { listMembers } from '@sixdigit/contract/accounts/members.ts';
import { read } from '../../api/read.ts';

export const members = read(listMembers, {});

export const invitations = read(listInvitations, {});
