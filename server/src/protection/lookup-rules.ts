import type { Channel } from '@sixdigit/contract/channels.ts';
import {
  LINE_NAMES,
  type LookupFacts,
  type LookupRule,
  type ProtectionRules,
  type Scope,
} from '@sixdigit/contract/protection/protection.ts';
import type { Destination } from './destination.ts';
import { kindOfCover } from './lists.ts';
import type { Policy } from './policy.ts';
import {
  type AskedLookup,
  type Found,
  type LookupNeed,
  NOTHING_FOUND,
  type Question,
  type ScopeNeed,
} from './question.ts';

/** The rules on what a look-up knows of a number: the type of its line, and when its SIM card changed. */

/** A send before its look-up. */
export interface LookupSubject {
  account_id: string;
  to: Destination;
  channel: Channel;
  purpose: string | undefined;
  cost_credits: number;
  now_ms: number;
}

/** Undefined if no rule concerns the send, it is too cheap and names no purpose that needs one, or a list decides about it. */
export function lookupNeedOf(
  policies: Record<Scope, Policy>,
  subject: LookupSubject,
): LookupNeed | undefined {
  const { account, deployment } = policies;
  const need: LookupNeed = {};
  for (const scope of ['account', 'deployment'] as const) {
    const found = needIn(policies[scope], subject);
    if (found) need[scope] = found;
  }
  if (!need.account && !need.deployment) return undefined;
  const { to, now_ms } = subject;
  const isDenied = kindOfCover(account.deny, to, now_ms) ?? kindOfCover(deployment.deny, to, now_ms);
  return isDenied ? undefined : need;
}

/** A SIM card receives these. Messengers are tied to an installation. */
const TO_THE_SIM: ReadonlySet<Channel> = new Set(['sms', 'voice']);

function needIn({ rules, lookups, allow }: Policy, subject: LookupSubject): ScopeNeed | undefined {
  const { line_type, sim_swap } = rules;
  if (line_type.mode === 'off' && sim_swap.mode === 'off') return undefined;
  const { channel, purpose, cost_credits, to, now_ms } = subject;
  if (!lookups.messengers && !TO_THE_SIM.has(channel)) return undefined;
  const isNamed = (purposes: readonly string[]) => purpose !== undefined && purposes.includes(purpose);
  const is_closed = isNamed(lookups.closed_purposes);
  if (cost_credits < lookups.from_credits && !is_closed && !isNamed(lookups.purposes)) return undefined;
  const cover = kindOfCover(allow, to, now_ms);
  if (cover && cover !== 'country') return undefined;
  const found: LookupRule[] = [];
  if (line_type.mode !== 'off' && line_type.refused.length > 0) found.push('line_type');
  if (sim_swap.mode !== 'off' && (sim_swap.purposes === null || isNamed(sim_swap.purposes)))
    found.push('sim_swap');
  return found.length > 0 ? { rules: found, is_closed } : undefined;
}

const WHY: Record<AskedLookup['outcome'], string> = {
  answered: 'it does not know this',
  cached: 'it does not know this',
  timeout: 'it took too long',
  failed: 'it failed',
  unreadable: 'its response could not be read',
  busy: 'too many were under way',
  paused: 'it is paused, because the company fails',
  budget_spent: 'the look-ups of the day are used up',
  not_asked: '',
};

const notCompared = (text: string): Found => ({ ...NOTHING_FOUND, words: { text, is_compared: false } });

type Judged = Pick<Found, 'is_exceeded' | 'measured'> & { text: string };

/** `judge` returns undefined if the facts do not suffice. */
function found(
  rule: LookupRule,
  { lookup, scope }: Question,
  judge: (facts: LookupFacts) => Judged | undefined,
): Found {
  const need = lookup?.need[scope];
  if (!lookup || !need?.rules.includes(rule)) return notCompared('This send needs no look-up.');
  const judged = lookup.facts ? judge(lookup.facts) : undefined;
  if (judged) {
    const { text, ...rest } = judged;
    return { ...NOTHING_FOUND, ...rest, words: { text, is_compared: true } };
  }
  if (lookup.outcome === 'not_asked')
    return notCompared('Not looked up: a send is, unless another rule refuses it.');
  const text = `The look-up gave no answer: ${WHY[lookup.outcome]}. ${need.is_closed ? 'Sends for this purpose need one.' : 'The send passes without one.'}`;
  return {
    ...NOTHING_FOUND,
    is_exceeded: need.is_closed,
    is_unanswered: true,
    words: { text, is_compared: need.is_closed },
  };
}

export const lineType = (question: Question, { line_type: { refused } }: ProtectionRules): Found =>
  found('line_type', question, ({ line_type, temporary }) => {
    const isTemporary = temporary === true && refused.includes('temporary');
    const needsType = refused.some((one) => one !== 'temporary');
    if (!isTemporary && ((needsType && line_type === null) || (!needsType && temporary === null)))
      return undefined;
    const is_exceeded = isTemporary || (line_type !== null && refused.includes(line_type));
    const line = isTemporary ? 'a temporary number' : LINE_NAMES[line_type ?? 'other'].toLowerCase();
    return {
      is_exceeded,
      measured: () => [],
      text: `${is_exceeded ? 'Refused line type' : 'Line type'}: ${line.replace('voip', 'VoIP')}.`,
    };
  });

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export const simSwap = (question: Question, { sim_swap: { hours: limit } }: ProtectionRules): Found =>
  found('sim_swap', question, ({ sim, looked_up_at }) => {
    if (!sim) return undefined;
    const { changed_at, changed_within_hours, unchanged_within_hours } = sim;
    // A company that gives no date says only that there was a change: the strict reading protects the owner of the number.
    if (changed_within_hours !== null)
      return {
        is_exceeded: true,
        measured: () => [{ name: 'hours, within which the SIM changed', value: changed_within_hours, limit }],
        text: `The SIM card changed within ${changed_within_hours} hours before ${looked_up_at}.`,
      };
    if (unchanged_within_hours !== null && unchanged_within_hours < limit) return undefined;
    if (changed_at === null)
      return { is_exceeded: false, measured: () => [], text: 'No change of the SIM card is known.' };
    const value = Math.max(0, Math.floor((question.now * MINUTE_MS - Date.parse(changed_at)) / HOUR_MS));
    return {
      is_exceeded: value < limit,
      measured: () => [{ name: 'hours since the SIM changed', value, limit }],
      text: `The SIM card changed ${value} ${value === 1 ? 'hour' : 'hours'} ago. The rule needs ${limit}.`,
    };
  });
