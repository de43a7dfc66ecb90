import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { EMAIL_MESSAGE, PHONE_MESSAGE } from '@sixdigit/contract/field.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';

/** A phone number in E.164. Throws a field error. */
export function phoneOf({ config }: Needs<'config'>, text: string, field = 'phone_number'): string {
  const phone = normalisePhone(text, config);
  if (!phone) throw new FieldErrors({ [field]: [PHONE_MESSAGE] });
  return phone.e164;
}

/** The address that the channel needs. Throws a field error. */
export function recipientOf(app: Needs<'config'>, channel: Channel, text: string): string {
  if (factsOf(channel).recipient === 'phone') return phoneOf(app, text, 'recipient');
  const address = canonicalEmail(text);
  if (!address) throw new FieldErrors({ recipient: [EMAIL_MESSAGE] });
  return address;
}
