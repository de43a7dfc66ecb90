import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AccountLimits } from '@sixdigit/contract/operator/limits.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import {
  CAMPAIGNS,
  playWorstDay,
  WORST_DAYS_PER_HOUR,
  type WorstDay,
} from '@sixdigit/contract/protection/protection.ts';
import { spendingOf } from '../../credits/credits.ts';
import type { Config } from '../../platform/config.ts';
import { fairSlots } from '../../platform/fair-slots.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { inSlices } from '../../platform/queue/slices.ts';
import { DEFAULT_SHAPE, shapeOf, storedRules } from '../../protection/protection.ts';
import { lower } from '../../settings/account-limits/account-limits.ts';
import type { OtpApp } from '../call.ts';
import { DAY_MS } from '../code.ts';
import { readPastSends } from './back-test.ts';
import type { RecipientLimits } from './limits.ts';
import type { WorstDayFacts } from './worst-day-plan.ts';

/**
 * Plays the worst day of an account. A process plays one day at a time, in a thread, for no account often. Calls of an account that
 * arrive meanwhile get the same result, so a play goes on if its client disconnects.
 */
export function worstDayRoutes(server: Server, app: OtpApp): void {
  const slots = fairSlots({ anAccount: 1, aProcess: 1, waitingAnAccount: 1, waitingAProcess: 20 });
  const starts = recentStarts(WORST_DAYS_PER_HOUR);
  const playing = new Map<string, Promise<WorstDay>>();
  serve(server, playWorstDay, ({ caller: { account_id }, body: { seed } }) => {
    const key = `${account_id} ${seed}`;
    const known = playing.get(key);
    if (known) return known;
    const play = slots
      .run(account_id, () => {
        starts.note(account_id, app.clock.now().getTime());
        return playWorstDayOf(app, account_id, { seed });
      })
      .finally(() => playing.delete(key));
    playing.set(key, play);
    return play;
  });
}

export const playWorstDayOf = async (app: WorstDayApp, account_id: string, given: Given): Promise<WorstDay> =>
  playInThread(await factsOf(app, account_id, given));

/** Bounds the memory of a play, which needs some tens of megabytes. */
const RESOURCES = { maxOldGenerationSizeMb: 256 };

/** In a thread, because it computes for seconds. */
async function playInThread(facts: WorstDayFacts): Promise<WorstDay> {
  const thread = new Worker(new URL('./worst-day-thread.ts', import.meta.url), {
    workerData: facts,
    resourceLimits: RESOURCES,
  });
  try {
    const [played] = (await once(thread, 'message')) as [WorstDay];
    return played;
  } finally {
    await thread.terminate();
  }
}

const HOUR_MS = 3_600_000;

/** The starts of each account in the last hour. */
export function recentStarts(most: number) {
  const times = new Map<string, number[]>();
  return {
    /** Throws `too_many_requests` after `most` starts. */
    note(account_id: string, nowMs: number): void {
      const recent = (times.get(account_id) ?? []).filter((ms) => ms > nowMs - HOUR_MS);
      const [oldest] = recent;
      if (recent.length >= most && oldest !== undefined)
        throw new Failure('too_many_requests', {
          retry_after: Math.ceil((oldest + HOUR_MS - nowMs) / 1_000),
        });
      // Latest last, so that the oldest accounts are first.
      times.delete(account_id);
      times.set(account_id, [...recent, nowMs]);
      for (const [other, starts] of times) {
        if ((starts.at(-1) ?? 0) > nowMs - HOUR_MS) break;
        times.delete(other);
      }
    },
  };
}

export type WorstDayApp = Pick<OtpApp, 'db' | 'config' | 'clock' | 'prices' | 'accountLimits'>;
type Given = Pick<WorstDayFacts, 'seed'> & Partial<Pick<WorstDayFacts, 'campaigns' | 'with_changes'>>;

/** An account's own rules, prices, limits and last 30 days. */
export async function factsOf(
  app: WorstDayApp,
  account_id: string,
  { seed, campaigns = CAMPAIGNS, with_changes = true }: Given,
): Promise<WorstDayFacts> {
  const { config, accountLimits, prices } = app;
  const now = app.clock.now();
  const { signal } = new AbortController();
  const past = await readPastSends(app, account_id, { now, signal });
  const [rules, spending] = await Promise.all([storedRules(app, account_id), spendingOf(app.db, account_id)]);
  const own = accountLimits.of(account_id);
  const { sends, base_price_cents } = prices.current();
  const allowed = own?.countries ?? config.allowedCountries;
  return {
    campaigns,
    seed,
    with_changes,
    now,
    shape: await inSlices(shapeOf(past, now)),
    rules,
    is_trusted: own?.is_trusted === true,
    // With all countries allowed, those with a price of their own may be the dearest.
    allowed_countries: [
      ...allowed,
      ...(allowed.includes('*') ? sends.flatMap(({ country }) => country ?? []) : []),
    ],
    spending: {
      daily_credit_limit: lower(spending.daily_credit_limit, own?.daily_credit_limit ?? null),
      monthly_credit_limit: lower(spending.monthly_credit_limit, own?.monthly_credit_limit ?? null),
      spent_today: 0,
      spent_this_month: startsMonth(now) ? 0 : spending.spent_this_month,
    },
    limits: recipientLimits(config, own),
    sends,
    base_price_cents,
  };
}

/** The played day is the next one in UTC. */
const startsMonth = (now: Date): boolean => new Date(now.getTime() + DAY_MS).getUTCDate() === 1;

/** The default settings and prices, for users in ten countries. */
export const defaultFacts = (config: Config, { seed, campaigns = CAMPAIGNS }: Given): WorstDayFacts => ({
  campaigns,
  seed,
  with_changes: true,
  now: new Date(0),
  shape: DEFAULT_SHAPE,
  rules: { own: undefined, operators: undefined, sandbox: false },
  is_trusted: false,
  allowed_countries: DEFAULT_SHAPE.countries.map(({ code }) => code),
  spending: { daily_credit_limit: null, monthly_credit_limit: null, spent_today: 0, spent_this_month: 0 },
  limits: recipientLimits(config),
  sends: DEFAULT_PRICES.sends,
  base_price_cents: DEFAULT_PRICES.base_price_cents,
});

const recipientLimits = (config: Config, own?: AccountLimits): RecipientLimits => ({
  perAccount: {
    per10Min: own?.recipient_sends_per_10_min ?? config.recipientSendsPer10Min,
    perDay: own?.recipient_sends_per_day ?? config.recipientSendsPerDay,
  },
  overAll: { per10Min: config.numberSendsPer10Min, perDay: config.numberSendsPerDay },
});
