import { showInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { read } from '../api/read.ts';

/** The invitation of a link. Fails with 404 if the link does not work any more. */
export const invitationOf = (token: string) => read(showInvitation, { body: { token } }, { retry: 1 });

export interface Invited {
  token: string;
  email: string;
  account_name: string;
}

/** The invitation for which the visitor signs in or up. Undefined without one, or if its link does not work. */
export function useInvited(): Invited | undefined | 'loading' {
  const { invitation: token = '' } = useSearch({ from: '/_auth' });
  const { data, isLoading } = useQuery({ ...invitationOf(token), enabled: token !== '' });
  if (isLoading) return 'loading';
  return data && { token, email: data.email, account_name: data.account_name };
}
