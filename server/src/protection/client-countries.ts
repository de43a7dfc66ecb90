import { MINUTES_A_DAY, type Series } from './series.ts';

/** The countries to which a client asked for codes in the last day without a success, each with the minute of its last send. */
export function withoutSuccess(series: Series | undefined, now: number): Map<string, number> {
  const since = now - MINUTES_A_DAY;
  const without = new Map<string, number>();
  for (const [country, { sent, verified }] of series?.countries ?? [])
    if (sent >= since && verified < since) without.set(country, sent);
  return without;
}
