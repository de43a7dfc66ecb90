import { type Campaign, COUNTED_RULES, LEARNING } from '@sixdigit/contract/protection/protection.ts';
import { minuteOf } from '../counters.ts';
import { createGuard, type Guard } from '../guard.ts';
import { NO_ENTRIES } from '../lists.ts';
import type { Policy } from '../policy.ts';
import { DEPLOYMENT } from '../queries.ts';
import { addDay, addHour, type Counts, type Series } from '../series.ts';
import { type Day, OWN } from './events.ts';
import type { Shape } from './shape.ts';
import { DAY, type Gate, HOUR, traffic } from './traffic.ts';

/** An account's settings, as a day is played with them. */
export interface Settings {
  policy: Policy;
  deployment: Policy;
  daily_credit_limit: number | null;
  /** exempt from the rules by the operator */
  is_trusted: boolean;
}

export interface Played {
  /** messages to attackers that the account pays */
  got_through: number;
  users_refused: number;
  known_refused: number;
  /** what refused the attack */
  refused_by: Map<string, number>;
}

const DAYS_OF_HISTORY = 14;

interface Run {
  campaign: Campaign;
  shape: Shape;
  day: Day;
  day_ms: number;
  settings: Settings;
  gate: Gate;
}

/** Plays the requests of one day on the counters of the days before. */
export function play({ campaign, shape, day, day_ms, settings, gate }: Run): Played {
  const guard = createGuard({
    sandbox: false,
    isReplay: true,
    isTrusted: (account_id) => settings.is_trusted && account_id === OWN,
  });
  guard.setPolicy(OWN, settings.policy);
  guard.setPolicy(DEPLOYMENT, settings.deployment);
  fillHistory(guard, shape, day_ms);
  for (let n = 1; n < campaign.accounts; n++) fillAccount(guard, `other ${n}`, day_ms);
  const sends = traffic({ guard, now: day_ms, gate, isOpen: !canRefuse(settings) });
  const played: Played = { got_through: 0, users_refused: 0, known_refused: 0, refused_by: new Map() };
  const seen = new Set<string>();
  for (const { at, send, isAttack } of day.events) {
    if (!seen.has(send.prefix)) {
      seen.add(send.prefix);
      fillPrefix(guard, send.prefix, { ...day.historyOf(send.prefix), day_ms });
    }
    sends.run(at);
    const refused = sends.submit(send);
    if (isAttack && send.account_id === OWN) {
      if (refused.length === 0) played.got_through += 1;
      for (const by of refused) played.refused_by.set(by, (played.refused_by.get(by) ?? 0) + 1);
    }
    if (isAttack || refused.length === 0) continue;
    played.users_refused += send.weight ?? 1;
    if (send.is_known) played.known_refused += send.weight ?? 1;
  }
  return played;
}

/** Whether any rule or list can refuse a send. */
const canRefuse = ({ policy, deployment }: Settings): boolean =>
  [policy, deployment].some(
    ({ rules, deny }) =>
      deny !== NO_ENTRIES ||
      COUNTED_RULES.some((rule) => rules[rule].mode === 'enforce') ||
      (rules.country.mode === 'enforce' && rules.country.countries !== null),
  );

/** The two weeks before, by day, and the day before by hour. Known recipients do not count for their country. */
function fillHistory({ counters }: Guard, { sends_per_day, hours, countries }: Shape, day_ms: number): void {
  for (const scope of [OWN, DEPLOYMENT])
    for (const { code, share, conversion, known } of countries) {
      const fill = (series: Series, sends: number): void => {
        for (let n = 1; n <= DAYS_OF_HISTORY; n++)
          addDay(series, day_ms / DAY - (DAYS_OF_HISTORY + 1 - n), countsOf(sends, conversion));
        let before = countsOf(0, 0);
        let share_until = 0;
        for (const [hour, part] of hours.entries()) {
          share_until += part;
          const until = countsOf(sends * share_until, conversion);
          addHour(series, day_ms / HOUR - hours.length + hour, difference(until, before));
          before = until;
        }
      };
      fill(counters.at(scope, 'country', code), sends_per_day * share * (1 - known));
      fill(counters.at(scope, 'account', ''), sends_per_day * share);
    }
}

/** Another account of the deployment, which is past learning. */
const fillAccount = ({ counters }: Guard, account_id: string, day_ms: number): void =>
  addDay(counters.at(account_id, 'account', ''), day_ms / DAY - 1, countsOf(2 * LEARNING.finished, 1));

function fillPrefix(
  { counters }: Guard,
  prefix: string,
  { sends, verified, day_ms }: { sends: number; verified: number; day_ms: number },
): void {
  if (sends === 0) return;
  // Twelve hours before, so that it counts until noon.
  for (const scope of [OWN, DEPLOYMENT])
    addHour(counters.at(scope, 'prefix', prefix), minuteOf(day_ms) / 60 - 12, {
      sent: sends,
      tried: sends,
      over: sends,
      verified,
    });
}

function countsOf(expected: number, conversion: number): Counts {
  const sends = Math.round(expected);
  return { sent: sends, tried: sends, over: sends, verified: Math.round(expected * conversion) };
}

const difference = (until: Counts, before: Counts): Counts => ({
  sent: until.sent - before.sent,
  tried: until.tried - before.tried,
  over: until.over - before.over,
  verified: until.verified - before.verified,
});
