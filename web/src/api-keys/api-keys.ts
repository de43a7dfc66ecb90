import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
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
