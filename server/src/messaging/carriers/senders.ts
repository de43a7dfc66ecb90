import { SENDER_RULES } from '@sixdigit/contract/operator/sender-rules.ts';
import { countryOfPhone, countryProblem } from '../../platform/addresses/phone.ts';
import type { FieldValues } from './carrier.ts';

/** Senders of single countries, in a text such as `US +12025550123, SE Acme`. */
const ENTRY = /^([A-Za-z]{2})\s+(\S.*)$/;

const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Why a text is not a list of senders, as a sentence. */
export function sendersProblem(text: string | undefined): string | undefined {
  const seen = new Set<string>();
  for (const entry of entriesOf(text ?? '')) {
    const [, code = '', sender = ''] = ENTRY.exec(entry) ?? [];
    const country = code.toUpperCase();
    if (sender === '') return 'Write a country and its sender, such as US +12025550123, SE Acme.';
    const problem = countryProblem(country);
    if (problem) return problem;
    if (seen.has(country)) return `${country} has two senders.`;
    seen.add(country);
    if (SENDER_RULES[country]?.names === 'refused' && /[A-Za-z]/.test(sender))
      return `${country} takes no sender names. Enter a number.`;
  }
  return undefined;
}

/** The sender for the recipient's country, or else the carrier's own. */
export function senderTo(recipient: string, { senders, from }: FieldValues): string | undefined {
  if (!senders) return from;
  const country = countryOfPhone(recipient);
  const own = entriesOf(senders).map((entry) => ENTRY.exec(entry));
  return own.find((entry) => entry?.[1]?.toUpperCase() === country)?.[2] ?? from;
}
