import type { DestinationCheck } from '@sixdigit/contract/protection/protection.ts';
import { durationText } from '@sixdigit/contract/text/duration-text.ts';
import { shortDateTime } from '../ui/dates.ts';
import { RULE_NAMES } from './rule-texts.ts';

const listed = new Intl.ListFormat('en-US');

export const sentences: Record<DestinationCheck['decision'], string> = {
  allowed: 'This send would go out.',
  blocked: 'This send would be blocked.',
  refused: 'This send would be refused.',
};

/** Why a send would go out or not, in one or two sentences. */
export function whyOf({
  blocked_by,
  blocked_until,
  monitored_by,
  listed: list,
  known,
  passed,
  decision,
  refusal,
}: DestinationCheck): string {
  if (decision === 'refused' && refusal) return refusedUntil(refusal);
  if (list === 'deny') return 'It is on the deny list.';
  if (blocked_by.length > 0) {
    const rules = listed.format(blocked_by.map((rule) => RULE_NAMES[rule]));
    const until =
      blocked_until === null ? 'The block has no end date.' : `Until ${shortDateTime(blocked_until)}.`;
    return `Blocked by: ${rules}. ${until}`;
  }
  if (list === 'allow') return 'It is on the allow list, so your rules do not block it.';
  if (known && passed.length > 0)
    return `The recipient is known, so these rules do not block it: ${listed.format(passed.map((rule) => RULE_NAMES[rule]))}.`;
  if (monitored_by.length > 0)
    return `These rules would block it, but only monitor: ${listed.format(monitored_by.map((rule) => RULE_NAMES[rule]))}.`;
  return 'No rule, limit or opt-out blocks it, and the balance covers it.';
}

function refusedUntil({ error, retry_after, resets_at }: NonNullable<DestinationCheck['refusal']>): string {
  const why = /[.?!]$/.test(error) ? error : `${error}.`;
  if (resets_at !== null) return `${why} Sending is possible again from ${shortDateTime(resets_at)}.`;
  if (retry_after === null) return why;
  return `${why} Sending is possible again in ${durationText(retry_after)}.`;
}
