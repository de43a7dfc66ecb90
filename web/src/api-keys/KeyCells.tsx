import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { useQuery } from '@tanstack/react-query';
import { nowMs } from '../api/clock.ts';
import { read } from '../api/read.ts';
import { Badge, TestBadge } from '../ui/Badge.tsx';
import { format, relativeTime } from '../ui/dates.ts';
import { expiryOf } from './key-values.ts';

type Spender = Pick<ApiKey, 'id' | 'mode' | 'spent_today' | 'daily_credit_limit'>;

const DAY_MS = 86_400_000;
const SPENT_REFETCH_MS = 30_000;

/** Credits that each key has spent today (UTC), by key id, delayed by a few seconds. Keys without sends are absent. */
function spentToday(now = nowMs()) {
  const from = Math.floor(now / DAY_MS) * DAY_MS;
  return read(
    getInsights,
    { query: { from: new Date(from).toISOString(), to: new Date(from + DAY_MS).toISOString() } },
    {
      // A refund does not reduce the usage that counts towards a daily limit.
      select: ({ by_api_key }): ReadonlyMap<string, number> =>
        new Map(by_api_key.map(({ api_key, credits, refunded }) => [api_key.id, credits + refunded])),
      refetchInterval: SPENT_REFETCH_MS,
    },
  );
}

/** Whether sends cost nothing and no limit counts them. */
export const isFree = ({ mode, daily_credit_limit }: Pick<Spender, 'mode' | 'daily_credit_limit'>): boolean =>
  mode === 'test' && daily_credit_limit === null;

/** Credits spent today (UTC) and the daily limit. The service counts them exactly only for keys with a limit. `isShort`: for compact rows. */
export function SpentToday({ of, isShort = false }: { of: Spender; isShort?: boolean }) {
  const { id, mode, spent_today, daily_credit_limit } = of;
  const { data } = useQuery({ ...spentToday(), enabled: spent_today === null && mode === 'live' });
  if (isFree(of)) return <span className="text-13 text-ink-soft">Free</span>;
  const spent = spent_today ?? (data && (data.get(id) ?? 0));
  const shown = spent === undefined ? '–' : text(spent);
  if (daily_credit_limit === null)
    return isShort ? (
      `${shown} credit${spent === 1 ? '' : 's'} today`
    ) : (
      <Two first={shown} second="No limit" tip="" />
    );
  const ofLimit = `${shown} of ${text(daily_credit_limit)}${isShort ? ' credits today' : ''}`;
  return (spent ?? 0) >= daily_credit_limit ? (
    <strong className="font-600 text-red">{ofLimit}</strong>
  ) : (
    ofLimit
  );
}

const text = (credits: number): string => credits.toLocaleString('en-US');

/** A value with a quieter line below it. */
export const Two = ({ first, second, tip }: { first: string; second: string; tip: string }) => (
  <>
    <span className="block">{first}</span>
    <span className="text-13 text-ink-soft" {...(tip && { 'data-tip': tip })}>
      {second}
    </span>
  </>
);

/** The mode, expiry and rotation of a key or a connection. `isShort`: only the most urgent badge, for compact rows. */
export function KeyBadges({
  of: { mode, expires_at },
  isRotated,
  isShort = false,
}: {
  of: Pick<ApiKey, 'mode' | 'expires_at'>;
  /** whether the old secret is still valid */
  isRotated: boolean;
  isShort?: boolean;
}) {
  const expiry = expiryOf(expires_at, nowMs());
  const isUrgent = isShort && (expiry === 'expired' || expiry === 'soon');
  return (
    <>
      {mode === 'test' && !isUrgent ? <TestBadge /> : null}
      {expiry === 'expired' ? <Badge tone="red">Expired</Badge> : null}
      {expiry === 'soon' ? (
        <Badge tone="orange">Expires {relativeTime(expires_at ?? '', nowMs())}</Badge>
      ) : null}
      {expiry === 'later' && !isShort ? <Badge tone="outline">Until {day(expires_at)}</Badge> : null}
      {isRotated && !isShort ? <Badge tone="blue">Rotated</Badge> : null}
    </>
  );
}

const dates = format({ dateStyle: 'medium' });
const day = (iso: string | null): string => dates.format(new Date(iso ?? 0));
