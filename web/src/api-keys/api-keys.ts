import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listConnections } from '@sixdigit/contract/connection-list.ts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { asPage } from '../api/list.ts';
import { read, readPage } from '../api/read.ts';
import { type ListSearch, listSearch } from '../table/search.ts';

export const apiKeySearch = listSearch({
  orderings: ['created_at', 'name', 'last_used_at'],
  ordering: '-created_at',
  filters: {},
});
type Search = ListSearch<(typeof apiKeySearch.defaults)['ordering'], Record<never, never>>;

export const apiKeyPage = ({ page, search, ordering }: Search) =>
  readPage(listApiKeys, { query: { page, search, ordering } });

/** Up to 100 keys, for the filters of other lists. */
export const apiKeyChoices = read(
  listApiKeys,
  { query: { page_size: 100 } },
  { select: (reply) => asPage(reply, 1, 100) },
);

/** The keys of connections, for the filters of other lists. */
export const connectionChoices = read(
  listConnections,
  {},
  { select: ({ results }) => results.map(({ api_key_id, name }) => ({ id: api_key_id, name })) },
);

/** Loads what `useKeyChoices` reads. */
export function prefetchKeyChoices(queryClient: QueryClient): void {
  void queryClient.prefetchQuery(apiKeyChoices);
  void queryClient.prefetchQuery(connectionChoices);
}

/** The names of keys and connections, for the filters of other lists. Undefined while they load. */
export function useKeyChoices(): readonly { id: string; name: string }[] | undefined {
  const { data: keys } = useQuery(apiKeyChoices);
  const { data: connections, isPending } = useQuery(connectionChoices);
  return keys && !isPending ? [...keys.results, ...(connections ?? [])] : undefined;
}
