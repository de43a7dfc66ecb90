import {
  FALLBACK_DAYS_MAX,
  type Fallback,
  FIGURES_MOST,
  type getFallback,
} from '@sixdigit/contract/insights.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { stepSums } from '../otp/otp.ts';
import type { Db } from '../platform/db/sql.ts';
import { periodOf } from './periods.ts';

const DAY_MS = 86_400_000;

/** What each step of an account's plans did, counted from the messages because the sums of insights do not know plans. */
export function fallbackOf(
  db: Db,
  account_id: string,
  query: Parsed<typeof getFallback, 'query'>,
  now: Date,
  most = FIGURES_MOST,
): Promise<Fallback> {
  const { from: first, to } = periodOf(query, now);
  const from = new Date(Math.max(first.getTime(), to.getTime() - FALLBACK_DAYS_MAX * DAY_MS));
  return db.transaction(async (tx) => {
    const { channel = null, country = null, api_key = null } = query;
    const { steps, read, oldest } = await stepSums(tx, {
      account_id,
      from,
      to,
      channel,
      country,
      api_key,
      most,
    });
    const isWhole = read < most || oldest === null;
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      counted_from: isWhole ? from.toISOString() : oldest,
      steps,
    };
  });
}
