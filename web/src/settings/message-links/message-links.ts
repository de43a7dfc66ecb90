import { listMessageDomains } from '@sixdigit/contract/message-links.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';

/** The domains that messages of the account may link to, and whether the deployment limits links. */
export const linkDomains = queryOptions({
  queryKey: ['message-domains'],
  queryFn: ({ signal }) => call(listMessageDomains, { signal }),
});
