import { type Decision, type ExplainedDecision, isEnforced } from './decision.ts';
import type { Finding } from './question.ts';

/** How an account's own rules press on a destination. A proof of work is demanded and gets harder by it. */
export interface Pressure {
  /** how full the fullest budget is; 1: a rule is at its limit */
  level: number;
  /** the findings at or over their limits, the fullest first */
  pressing: readonly Finding[];
}

/**
 * The last rules here count finished sends, or decide by a list or a look-up. The figures of the others are in front; behind them are those of
 * single numbers.
 */
const WITHOUT_LEVEL: ReadonlySet<string> = new Set(['country', 'prefix_conversion', 'line_type', 'sim_swap']);
const FIGURES = 2;

const levelOf = ({ rule, measured }: Finding): number =>
  WITHOUT_LEVEL.has(rule)
    ? 0
    : Math.max(
        0,
        ...measured()
          .slice(0, FIGURES)
          .map(({ value, limit }) => (limit === null ? 0 : value / Math.max(1, limit))),
      );

/**
 * Reads only rules of the account that would refuse a send: those over all accounts would let one account press on others, and
 * `monitor` and a rule that is learning change nothing.
 */
export function pressureOf({ applied, is_learning }: ExplainedDecision): Pressure {
  const found = applied
    .filter((finding) => finding.scope === 'account' && isEnforced(finding, is_learning))
    .map((finding) => ({ finding, level: levelOf(finding) }))
    .toSorted((one, other) => other.level - one.level);
  return {
    level: found[0]?.level ?? 0,
    pressing: found.filter(({ level }) => level >= 1).map(({ finding }) => finding),
  };
}

/** These count sends, of which a crowd causes many too. The other rules count failures, which a proof does not explain. */
const REPLACED: ReadonlySet<string> = new Set(['prefix_velocity', 'client_velocity']);
/** A proof passes a rule up to this many times its limit, so that it costs an attacker's target at most as much again. */
const PASSED_LIMITS = 2;

const isReplaced = (finding: Finding): boolean =>
  finding.scope === 'account' && REPLACED.has(finding.rule) && levelOf(finding) < PASSED_LIMITS;

/** A decision about a send that needs a proof while rules press: the proof is demanded, or replaces their refusal. */
export function withProof(decision: ExplainedDecision, is_given: boolean): ExplainedDecision {
  const { pressing } = pressureOf(decision);
  if (decision.listed === 'deny' || pressing.length === 0 || !decision.enforced.every(isReplaced))
    return decision;
  const proof: Decision['proof'] = { is_given, pressing };
  return { ...decision, blocked_by: [], until_ms: null, enforced: [], proof };
}
