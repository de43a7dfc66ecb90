import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { costOf } from '@sixdigit/contract/prices.ts';
import type { AccountSpending } from '../../credits/credits.ts';
import { countSpending, spendRefusedUntil } from '../../credits/spend/spend.ts';
import { type Gate, OWN, rulesOf, type StoredRules, type WorstDayPlan } from '../../protection/protection.ts';
import { DAY_MS } from '../code.ts';
import { type RecipientLimits, secondsUntilAllowed } from './limits.ts';

/** What an account's worst day depends on, as plain values that a thread can receive. */
export interface WorstDayFacts
  extends Pick<
    WorstDayPlan,
    'campaigns' | 'seed' | 'now' | 'shape' | 'allowed_countries' | 'base_price_cents' | 'with_changes'
  > {
  rules: StoredRules;
  is_trusted: boolean;
  /** on the begin of the day */
  spending: AccountSpending;
  limits: RecipientLimits;
  sends: readonly SendPrice[];
}

export function planOf({
  rules,
  is_trusted,
  spending,
  limits,
  sends,
  ...facts
}: WorstDayFacts): WorstDayPlan {
  const { bounds, ...policies } = rulesOf(rules);
  const costOfSend = (country: string) => costOf(sends, { channel: 'sms', country, segments: 1 });
  return {
    ...facts,
    bounds,
    settings: { ...policies, is_trusted, daily_credit_limit: spending.daily_credit_limit },
    costOf: costOfSend,
    gateOf: ({ daily_credit_limit }) =>
      gateOf({ spending: { ...spending, daily_credit_limit }, limits, costOf: costOfSend }),
  };
}

interface GateOptions {
  spending: AccountSpending;
  limits: RecipientLimits;
  costOf(country: string): number;
}

/** The limits of recipients and of spending. The balance is no limit, because it can be refilled during the day. */
function gateOf({ spending, limits, costOf: costOfSend }: GateOptions): Gate {
  const account = { ...spending };
  const sent = new Map<string, number[]>();
  const recent = (recipient: string, nowMs: number): number[] =>
    (sent.get(recipient) ?? []).filter((ms) => ms > nowMs - DAY_MS);
  return {
    sendsToday: (recipient, nowMs) => recent(recipient, nowMs).length,
    refusal(recipient, { account_id, country }, nowMs) {
      const sends = recent(recipient, nowMs);
      if (secondsUntilAllowed({ sends, wrong_tries: [] }, sends, { nowMs, limits }) > 0)
        return 'recipient_limit';
      const credits = costOfSend(country);
      const isRefused = account_id === OWN && spendRefusedUntil(account, undefined, { credits, nowMs });
      return isRefused ? 'spend_limit' : undefined;
    },
    charge(recipient, { account_id, country, weight = 1 }, nowMs) {
      sent.set(recipient, [...recent(recipient, nowMs), nowMs]);
      if (account_id === OWN)
        countSpending(account, undefined, { credits: weight * costOfSend(country), nowMs });
    },
  };
}
