import {
  BACK_TEST_DAYS,
  BACK_TEST_SENDS_MAX,
  type BackTest,
  type CountedRule,
} from '@sixdigit/contract/protection/protection.ts';
import { shortDateTime } from '../ui/dates.ts';
import { countOf } from '../ui/numbers.ts';

const whole = (value: number): string => value.toLocaleString('en-US');

/** 'Tested on the 12,480 sends of the last 30 days.' */
export function scopeText({ sends, from, limited_by }: BackTest): string {
  if (limited_by === null)
    return `Tested on the ${countOf(sends, 'send')} of the last ${BACK_TEST_DAYS} days.`;
  const why = {
    sends: `a test reads at most the newest ${whole(BACK_TEST_SENDS_MAX)} verifications`,
    retention: 'older verifications are deleted',
    time: 'reading older ones took too long',
  }[limited_by];
  return `Tested on the ${countOf(sends, 'send')} since ${shortDateTime(from)}, because ${why}.`;
}

/** '98 with the saved thresholds' */
export const savedText = (saved: number): string => `${whole(saved)} with the saved thresholds`;

const CLIENT_RULES: readonly CountedRule[] = ['client_velocity', 'client_unverified', 'client_countries'];

/** Why no past send can be tested; undefined if some can. */
export function whyNothing({ rule, sends, without_client }: BackTest): string | undefined {
  if (sends === 0) return 'There are no past sends to phone numbers to test this rule on.';
  if (CLIENT_RULES.includes(rule) && without_client === sends)
    return 'No past send has an end user’s IP address, so this rule has nothing to compare. Pass client_ip with every send.';
  return undefined;
}

/** What the history does not tell, the most important first. */
export function limitsOf({ rule, learning, without_client, erased }: BackTest): string[] {
  const notes: string[] = [];
  if (learning > 0)
    notes.push(
      `${countOf(learning, 'more send')} would only have been monitored, because the rule was still learning.`,
    );
  if (CLIENT_RULES.includes(rule) && without_client > 0)
    notes.push(
      `${countOf(without_client, 'send has', 'sends have')} no end user’s IP address, which this rule needs.`,
    );
  if (erased > 0) notes.push(`${countOf(erased, 'send')} to erased recipients cannot be tested.`);
  notes.push('Sends that were refused at the time are not included.');
  return notes;
}
