import { email } from '#contract/field.ts';
import type { Channel } from '#contract/otp.ts';
import type { Needs } from '../ground.ts';
import { FieldErrors } from '../http/failure.ts';
import { normalisePhone } from '../phone.ts';

/** Numbers that only cost: whoever answers them is no person with a phone. */
const COSTLY = new Set(['PREMIUM_RATE', 'SHARED_COST', 'PAGER', 'VOICEMAIL', 'UAN']);

const refuse = (message: string): never => {
  throw new FieldErrors({ recipient: [message] });
};

/**
 * The one spelling of a recipient, before any limit, look-up or charge: E.164, or a lower-case e-mail address. Throws a
 * field error for what is no valid one, costs extra, or lies outside ALLOWED_COUNTRIES.
 */
export function normaliseRecipient(app: Needs<'config'>, channel: Channel, text: string): string {
  if (channel === 'email') {
    const parsed = email.safeParse(text);
    return parsed.success ? parsed.data : refuse('Enter a valid email address.');
  }
  const { defaultRegion, allowedCountries } = app.config;
  const phone = normalisePhone(text, { defaultRegion });
  if (!phone) return refuse('Enter a valid phone number, such as +14155552671.');
  if (phone.type && COSTLY.has(phone.type)) return refuse('This kind of phone number cannot receive codes.');
  if (!allowedCountries.includes('*') && !allowedCountries.includes(phone.country ?? ''))
    return refuse('Phone numbers of this country are not allowed on this service.');
  return phone.e164;
}
