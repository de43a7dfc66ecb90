import { queryOptions } from '@tanstack/react-query';
import { CHANNELS, type Channel } from '#contract/channels.ts';
import { getInsights, INSIGHT_RANGES, type InsightRange } from '#contract/insights.ts';
import { call } from '../api/call.ts';
import { keepPrevious } from '../api/queries.ts';

export const ranges: readonly { value: InsightRange; label: string }[] = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
];

/** The state of the screen, in its address. */
export interface InsightsSearch {
  range: InsightRange;
  channel: Channel | 'all';
}
export const insightsDefaults: InsightsSearch = { range: '7d', channel: 'all' };

export function readInsightsSearch(given: Record<string, unknown>): InsightsSearch {
  const range = INSIGHT_RANGES.find((one) => one === given.range) ?? insightsDefaults.range;
  const channel = CHANNELS.find((one) => one === given.channel) ?? insightsDefaults.channel;
  return { range, channel };
}

/** The service adds new counts every five seconds. */
const REFETCH_MS = 10_000;

export const insightsOf = ({ range, channel }: InsightsSearch) =>
  queryOptions({
    queryKey: ['insights', { range, channel }],
    queryFn: ({ signal }) =>
      call(getInsights, {
        query: {
          range,
          time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          ...(channel === 'all' ? {} : { channel }),
        },
        signal,
      }),
    refetchInterval: REFETCH_MS,
    ...keepPrevious,
  });
