import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { TEST_DOMAIN, TEST_RECIPIENTS, type TestOutcome } from '@sixdigit/contract/test-mode.ts';

const OUTCOMES = new Map<string, TestOutcome>(
  TEST_RECIPIENTS.flatMap(({ outcome, phone, local }) => [
    [phone, outcome],
    [`${local}@${TEST_DOMAIN}`, outcome],
  ]),
);

/** A number of the test range as E.164; undefined for other numbers. No numbering plan assigns these numbers. */
export function testNumber(text: string): string | undefined {
  const phone = text.replace(/[\s().-]/g, '');
  return OUTCOMES.has(phone) ? phone : undefined;
}

export const outcomeOf = (recipient: string): TestOutcome => OUTCOMES.get(recipient) ?? 'delivered';

/** Whether the channel's company does not know the recipient. */
export const isTestUnreachable = (channel: Channel, recipient: string): boolean =>
  factsOf(channel).format === 'fixed' && outcomeOf(recipient) === 'unreachable';

/** The refusals of documented recipients. */
export type TestRefusal =
  | { kind: 'recipient_opted_out' }
  | { kind: 'destination_blocked'; blocked_by: ['deny_list']; blocked_until: null }
  | { kind: 'recipient_rate_limited'; retry_after: number }
  | { kind: 'spend_limit_reached'; resets_at: string }
  | { kind: 'insufficient_credits' };

const RETRY_SECONDS = 600;
const DAY_MS = 86_400_000;

/** Why a test send to this recipient is refused; undefined if it is accepted. */
export function testRefusal(recipient: string, nowMs: number): TestRefusal | undefined {
  const outcome = outcomeOf(recipient);
  switch (outcome) {
    case 'recipient_opted_out':
    case 'insufficient_credits':
      return { kind: outcome };
    case 'destination_blocked':
      return { kind: outcome, blocked_by: ['deny_list'], blocked_until: null };
    case 'recipient_rate_limited':
      return { kind: outcome, retry_after: RETRY_SECONDS };
    case 'spend_limit_reached':
      return { kind: outcome, resets_at: new Date(nowMs - (nowMs % DAY_MS) + DAY_MS).toISOString() };
    default:
      return undefined;
  }
}
