import { type ApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
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

const DAY_MS = 86_400_000;
const SPENT_REFETCH_MS = 30_000;

/** The credits of each key's sends of this day in UTC, by the key's id, with a delay of some seconds. Keys without sends are absent. */
export function spentToday(now = nowMs()) {
  const from = Math.floor(now / DAY_MS) * DAY_MS;
  return queryOptions({
    queryKey: [...API_KEYS, 'spent', from],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
      const period = { from: new Date(from).toISOString(), to: new Date(from + DAY_MS).toISOString() };
      const { by_api_key } = await call(getInsights, { query: period, signal });
      // A refund leaves the counter of a limit as it is, so it does here.
      return new Map(by_api_key.map(({ api_key, credits, refunded }) => [api_key.id, credits + refunded]));
    },
    refetchInterval: SPENT_REFETCH_MS,
  });
}

const MOST_CHOICES = 100;

/** Up to 100 keys, for the filters of other lists. */
export const apiKeyChoices = queryOptions({
  queryKey: [...API_KEYS, 'choices'],
  queryFn: async ({ signal }): Promise<Page<ApiKey>> =>
    asPage(await call(listApiKeys, { query: { page_size: MOST_CHOICES }, signal }), 1, MOST_CHOICES),
});
