import type { Channel } from '@sixdigit/contract/channels.ts';
import type { DestinationCheck, RuleFinding } from '@sixdigit/contract/protection/protection.ts';
import { type Decision, type ExplainedDecision, isEnforced } from './decision.ts';
import type { Destination } from './destination.ts';
import type { Finding, Measure } from './question.ts';

const MINUTE_MS = 60_000;
const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A decision in full, for people: every rule with its numbers. */
export function explained(
  {
    channel,
    recipient,
    to,
    known,
  }: { channel: Channel; recipient: string; to: Destination | undefined; known: boolean },
  decision: ExplainedDecision | undefined,
): DestinationCheck {
  return {
    channel,
    recipient,
    country: to?.country ?? null,
    prefix: to?.prefix ?? null,
    client: to?.client ?? null,
    decision: decision && decision.blocked_by.length > 0 ? 'blocked' : 'allowed',
    blocked_by: decision?.blocked_by ?? [],
    blocked_until: isoOf(decision?.until_ms ?? null),
    monitored_by: [...new Set(decision?.monitored.map(({ rule }) => rule) ?? [])],
    listed: decision?.listed ?? null,
    known,
    passed: [...new Set(decision?.exempted.map(({ rule }) => rule) ?? [])],
    refusal: null,
    lookup: null,
    rules: decision?.findings.map((finding) => findingOf(finding, decision)) ?? [],
  };
}

export function findingOf(finding: Finding, { is_learning }: Decision): RuleFinding {
  const { rule, scope, mode, is_exceeded, until } = finding;
  const measured = finding.measured();
  return {
    rule,
    scope,
    mode,
    is_exceeded,
    is_enforced: isEnforced(finding, is_learning),
    is_compared: finding.words?.is_compared ?? (rule === 'country' || measured.length > 0),
    measured: measured.map(({ name, value, limit }) => ({ name, value, limit })),
    explanation: finding.words?.text ?? explanationOf(finding, measured),
    blocked_until: isoOf(is_exceeded && until !== null ? until * MINUTE_MS : null),
  };
}

const isReached = ({ value, limit }: Measure): boolean => limit !== null && value >= limit;

function explanationOf({ rule, scope, is_exceeded }: Finding, measured: readonly Measure[]): string {
  if (rule === 'country')
    return is_exceeded ? 'The country is not on the list of allowed countries.' : 'The country is allowed.';
  if (measured.length === 0) return 'No IP address was given, so there is nothing to compare.';
  const textOf = ({ name, value, limit, basis }: Measure): string =>
    `${value}${limit === null ? '' : ` of ${limit}`} ${name}${basis ? ` (${basis})` : ''}`;
  const counts = measured.map(textOf);
  if (is_exceeded) {
    // A figure without a limit belongs to the one before it.
    const exceeded = measured.filter((one, n) =>
      isReached(one.limit === null && n > 0 ? (measured[n - 1] ?? one) : one),
    );
    if (exceeded.length === 0) return `The prefix was blocked earlier. Now: ${counts.join(', ')}.`;
    return `Exceeded: ${exceeded.map(textOf).join(', ')}.`;
  }
  if (scope === 'deployment' && measured.some(isReached))
    return `The limit over all accounts is reached, but not by this account: ${counts.join(', ')}.`;
  const isOver = measured.some(isReached);
  return `${isOver ? 'A limit is reached, but nothing about this number is suspicious' : 'Within its limits'}: ${counts.join(', ')}.`;
}
