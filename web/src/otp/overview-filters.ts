import { INSIGHT_DAYS_MAX, type InsightRange } from '@sixdigit/contract/insights.ts';
import { dayAfter, startOfDay, today } from '@sixdigit/contract/local-time.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import {
  groupsOf,
  type InsightsQuery,
  type InsightsSearch,
  insightsDefaults,
  type RowFilters,
} from '../insights/insights.ts';
import { momentsOf } from '../table/range.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { labelOf } from '../ui/channel.ts';
import { shortDate, zoneName } from '../ui/dates.ts';
import { countryName } from '../ui/display-names.ts';
import { carrierName, type RouteSearch } from './route-filters.ts';

/** The filters of the list of verifications. */
export interface ListFilters {
  days: string;
  from: string;
  to: string;
  channel: 'all' | InsightsSearch['channel'];
  country: string;
  api_key: string;
  search: string;
  status: 'all' | OtpStatus;
  carrier: RouteSearch['carrier'];
}

const RANGES: Record<string, { range: InsightRange; name: string; before: string }> = {
  '1': { range: '24h', name: 'Last 24 hours', before: 'the 24 hours before' },
  '7': { range: '7d', name: 'Last 7 days', before: 'the 7 days before' },
  '15': { range: '15d', name: 'Last 15 days', before: 'the 15 days before' },
  '30': { range: '30d', name: 'Last 30 days', before: 'the 30 days before' },
};

const DAY_MS = 86_400_000;

/**
 * What the figures above the list cover: the query, the filters by which Insights cannot count, the link to Insights, and a
 * description.
 */
export function overviewOf(filters: ListFilters, created_at: string | undefined, nowMs: number) {
  const { channel, country, api_key } = filters;
  const chosen = {
    channel: channel === 'all' ? ('' as const) : channel,
    country: /^[A-Z]{2}$/.test(country) ? country : '',
    api_key,
  };
  const preset = RANGES[filters.days];
  const window = preset ? undefined : windowOf(filters, created_at, nowMs);
  const search: InsightsSearch = {
    ...insightsDefaults,
    ...chosen,
    ...(preset ? { range: preset.range } : window && { range: 'custom', ...daysOf(window) }),
  };
  const query: InsightsQuery = {
    ...(window
      ? { from: window.from.toISOString(), to: window.to.toISOString() }
      : { range: preset?.range ?? '15d' }),
    ...groupsOf(chosen, zoneName()),
  };
  const name = preset?.name ?? (filters.days === 'all' ? 'All time' : daysText(filters));
  const parts = [
    name,
    ...(chosen.channel === '' ? [] : [labelOf(chosen.channel)]),
    ...(chosen.country === '' ? [] : [countryName(chosen.country)]),
    ...(api_key === '' ? [] : ['one API key']),
    ...(filters.status === 'all' ? [] : [statusLabel(filters.status)]),
    ...(filters.carrier === 'all' ? [] : [carrierName(filters.carrier)]),
    ...(filters.search === '' ? [] : [`“${shortened(filters.search)}”`]),
  ];
  const compared = filters.days === 'all' ? '' : `, compared with ${preset?.before ?? 'the period before'}`;
  return { query, rows: rowFilters(filters), search, period: parts.join(' · '), compared };
}

/** 'Nov 1, 2026 – Nov 7, 2026' */
function daysText(filters: ListFilters): string {
  const { from, to } = momentsOf(filters, zoneName());
  const [first, last] = [
    shortDate(from?.toISOString()),
    to && shortDate(new Date(to.getTime() - 1).toISOString()),
  ];
  if (first && last) return first === last ? first : `${first} – ${last}`;
  return first ? `Since ${first}` : last ? `Until ${last}` : 'All time';
}

const rowFilters = ({ search, status, carrier }: ListFilters): RowFilters => ({
  ...(search === '' ? {} : { search }),
  ...(status === 'all' ? {} : { status }),
  ...(carrier === 'all' ? {} : { carrier }),
});

const SHOWN_LENGTH = 30;
const shortened = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).trimEnd()}…` : text;

/** All time starts with the account, up to the retention of counts. Whole days keep the query key stable. */
function windowOf(filters: ListFilters, created_at: string | undefined, nowMs: number) {
  const zone = zoneName();
  const now = new Date(nowMs);
  const { from, to = startOfDay(dayAfter(today(zone, now)), zone) } =
    filters.days === 'custom' ? momentsOf(filters, zone) : {};
  const farthest = startOfDay(dayAfter(today(zone, to), 1 - INSIGHT_DAYS_MAX), zone);
  const begin = startOfDay(today(zone, new Date(created_at ?? farthest)), zone);
  const first = new Date(Math.max(farthest.getTime(), (from ?? begin).getTime()));
  return { from: first < to ? first : new Date(to.getTime() - DAY_MS), to };
}

const daysOf = ({ from, to }: { from: Date; to: Date }) => ({
  from: today(zoneName(), from),
  to: today(zoneName(), new Date(to.getTime() - 1)),
});
