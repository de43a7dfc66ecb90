import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { email } from '@sixdigit/contract/field.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import { normalisePhone, phoneProblem } from '../../platform/addresses/phone.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { testNumber } from '../test-mode/test-mode.ts';

const refuse = (message: string): never => {
  throw new FieldErrors({ recipient: [message] });
};

/** Identifies a recipient over all accounts, for limits that outlive its erasure: 128 bits of a keyed hash, in hex. */
export const recipientHash = (app: Needs<'vault'>, recipient: string): string =>
  app.vault.fingerprint('recipient-sends', recipient).toString('hex').slice(0, 32);

/**
 * Normalizes a recipient before any limit, look-up or charge: E.164 with its country (ISO 3166-1 alpha-2), or a lower-case
 * e-mail address. Throws a field error if the recipient is invalid, of a high-cost number type, or outside the countries of the account or ALLOWED_COUNTRIES.
 */
export function normaliseRecipient(
  app: Needs<'config'>,
  channel: Channel,
  text: string,
  {
    is_test = false,
    countries,
  }: { is_test?: boolean; countries?: readonly string[] | null | undefined } = {},
): { recipient: string; country: string | null } {
  if (factsOf(channel).recipient === 'email') {
    const parsed = email.safeParse(text);
    if (!parsed.success) return refuse('Enter a valid email address.');
    if (!is_test && parsed.data.endsWith(`@${TEST_DOMAIN}`))
      return refuse('This address works with test keys only.');
    return { recipient: parsed.data, country: null };
  }
  const simulated = testNumber(text);
  if (simulated && !is_test) return refuse('This number works with test keys only.');
  if (simulated) return { recipient: simulated, country: null };
  const phone = normalisePhone(text, app.config);
  if (!phone) return refuse('Enter a valid phone number, such as +14155552671.');
  const problem = phoneProblem(phone, { allowedCountries: countries ?? app.config.allowedCountries });
  if (problem) return refuse(problem);
  return { recipient: phone.e164, country: phone.country ?? null };
}
