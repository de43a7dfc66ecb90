import {
  conversionOf,
  FIGURES_MOST,
  type Figures,
  type getVerificationFigures,
  OUTCOME_NAMES,
  type VerificationFigures,
} from '@sixdigit/contract/insights.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { type MatchingSums, matchingSums } from '../otp/otp.ts';
import type { Reader } from '../platform/db/page.ts';
import type { Needs } from '../platform/platform.ts';
import { refusedSendsOf } from '../request-logs/request-logs.ts';
import { intervalOf, periodBefore, periodOf, slotsOf } from './periods.ts';
import { quantileOf } from './report.ts';

/** The figures of the sends that match a list's filter, counted from their rows because the sums of insights lack its columns. */
export function verificationFiguresOf(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  account_id: string,
  query: Parsed<typeof getVerificationFigures, 'query'> & { reader: Reader },
  most = FIGURES_MOST,
): Promise<VerificationFigures> {
  const now = app.clock.now();
  const { time_zone, channel = null, country = null, api_key: api_key_id = null } = query;
  const period = periodOf(query, now);
  const interval = intervalOf(period, now);
  const starts = slotsOf(period, interval, time_zone);
  const compared = { period, before: periodBefore(period, now), starts, most };
  return app.db.transaction(async (tx) => {
    const refused = await refusedSendsOf(tx, { account_id, channel, country, api_key_id, ...period });
    const { sums, isWhole } = await matchingSums(app, tx, account_id, query, compared);
    const bySlot = Map.groupBy(sums, ({ slot }) => slot);
    const slots = starts.map((_, n) => bySlot.get(n + 1) ?? []);
    const from = period.from.toISOString();
    const oldest = sums.reduce((least, one) => (one.oldest < least ? one.oldest : least), now.toISOString());
    return {
      from,
      to: period.to.toISOString(),
      as_of: now.toISOString(),
      time_zone,
      interval,
      counted_from: isWhole || oldest < from ? from : oldest,
      totals: figuresOf(slots.flat()),
      before: isWhole ? figuresOf(bySlot.get(0) ?? []) : null,
      series: starts.map((at, n) => ({ ...figuresOf(slots[n] ?? []), at: at.toISOString() })),
      refused,
    };
  });
}

function figuresOf(sums: readonly MatchingSums[]): Figures {
  const sum = (of: (one: MatchingSums) => number) => sums.reduce((total, one) => total + of(one), 0);
  const outcomes = Object.fromEntries(
    OUTCOME_NAMES.map((name) => [name, sum((one) => one[name])]),
  ) as unknown as Pick<Figures, (typeof OUTCOME_NAMES)[number]>;
  const verified = new Map<number, number>();
  for (const { bucket, verified: its } of sums)
    if (bucket !== null) verified.set(bucket, (verified.get(bucket) ?? 0) + its);
  const buckets = [...verified].map(([bucket, its]) => ({ bucket, verified: its }));
  return {
    ...outcomes,
    own_codes: sum(({ own_codes }) => own_codes),
    own_failed: sum(({ own_failed }) => own_failed),
    credits: sum(({ credits }) => credits),
    conversion: conversionOf(outcomes),
    median_seconds: quantileOf(
      buckets.toSorted((one, other) => one.bucket - other.bucket),
      0.5,
    ),
  };
}
