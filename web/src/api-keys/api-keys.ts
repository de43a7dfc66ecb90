import { queryOptions } from '@tanstack/react-query';
import { type ApiKey, listApiKeys } from '#contract/api-keys.ts';
import { call } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import { type ListSearch, listSearch } from '../table/search.ts';

/** Prefix of all API key queries. Creating or deleting a key invalidates it. */
export const API_KEYS = ['api-keys'] as const;

export const apiKeySearch = listSearch({
  orderings: ['created_at', 'name', 'last_used_at'],
  ordering: '-created_at',
  filters: {},
});
type Search = ListSearch<(typeof apiKeySearch.defaults)['ordering'], Record<never, never>>;

export const apiKeyPage = ({ page, search, ordering }: Search) =>
  queryOptions({
    queryKey: [...API_KEYS, 'page', { page, search, ordering }],
    queryFn: async ({ signal }): Promise<Page<ApiKey>> =>
      asPage(
        await call(listApiKeys, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
        page,
      ),
    ...keepPrevious,
  });

const MOST_CHOICES = 100;

/** Up to 100 keys, for the filters of other lists. */
export const apiKeyChoices = queryOptions({
  queryKey: [...API_KEYS, 'choices'],
  queryFn: async ({ signal }): Promise<Page<ApiKey>> =>
    asPage(await call(listApiKeys, { query: { page_size: MOST_CHOICES }, signal }), 1, MOST_CHOICES),
});
