import { showInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { keepPrevious, read } from '../api/read.ts';
import { isSignedIn } from '../api/session.ts';
import { otherPages } from '../pages.ts';
import { keptInvitation } from './kept-invitation.ts';

/** The invitation of a link. Fails with 404 if the link does not work any more. */
export const invitationOf = (token: string) => read(showInvitation, { body: { token } });

export interface Invited {
  token: string;
  email: string;
  account_name: string;
}

/** The invitation for which the visitor signs in or up. Undefined without one, or if its link does not work. */
export function useInvited(): Invited | undefined | 'loading' {
  const { redirect } = useSearch({ from: '/_auth' });
  const token = redirect === otherPages.invitation.path ? keptInvitation() : '';
  // A sign-up uses the invitation up. Until the next page appears, the form keeps its texts.
  const query = { ...invitationOf(token), ...keepPrevious, enabled: token !== '' && !isSignedIn() };
  const { data, isLoading } = useQuery(query);
  if (isLoading) return 'loading';
  return data && { token, email: data.email, account_name: data.account_name };
}
