import { email } from '@sixdigit/contract/field.ts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { possiblePhone } from '../../platform/addresses/phone.ts';
import type { RecipientForms } from '../../platform/db/erasure.ts';
import type { Needs } from '../../platform/platform.ts';

/** Undefined if the text is neither a phone number nor an e-mail address. */
export function formsOf({ config }: Needs<'config'>, text: string): RecipientForms | undefined {
  const address = email.safeParse(text);
  if (address.success) return { recipient: address.data, digits: [] };
  const e164 = possiblePhone(text, config);
  if (!e164) return undefined;
  const national = parsePhoneNumberFromString(e164)?.nationalNumber;
  return { recipient: e164, digits: [e164.slice(1), ...(national ? [national] : [])] };
}
