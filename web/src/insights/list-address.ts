import { createContext, useContext } from 'react';
import { rangeBetween } from '../table/range.ts';
import { zoneName } from '../ui/dates.ts';
import type { InsightsSearch } from './insights.ts';

export interface Behind {
  status?: 'verified' | 'failed' | 'expired';
  channel?: string;
  country?: string;
  api_key?: string;
  /** ISO times; the end is exclusive */
  from: string;
  to: string;
}

export interface ListAddress {
  to: '/' | '/operator/accounts/$id/verifications';
  params?: { id: string };
  search: Record<string, string>;
}

/** The list that bars open: the signed-in account's verifications or, for operators, another account's. */
export const ListBehind = createContext<Pick<ListAddress, 'to' | 'params'>>({ to: '/' });

/** Builds the URL of the list behind a bar on this screen. */
export function useBehind(search: Parameters<typeof behind>[0]): (bar: Behind) => ListAddress {
  const list = useContext(ListBehind);
  return (bar) => ({ ...behind(search, bar), ...list });
}

/** The URL of the verifications that match the screen's filters and the bar. */
export function behind(
  { channel, country, api_key }: Pick<InsightsSearch, 'channel' | 'country' | 'api_key'>,
  { from, to, ...bar }: Behind,
): { to: '/'; search: Record<string, string> } {
  const range = rangeBetween(new Date(from), new Date(to), zoneName());
  const search = Object.entries({ channel, country, api_key, ...bar, ...range });
  return {
    to: '/',
    search: Object.fromEntries(search.filter(([, value]) => value !== '' && value !== undefined)),
  };
}
