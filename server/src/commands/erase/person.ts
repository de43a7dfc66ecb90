import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { email } from '#contract/field.ts';
import { possiblePhone } from '../../platform/phone.ts';
import type { Needs } from '../../platform/platform.ts';

/** A person to erase, in the forms that rows may contain. */
export interface Person {
  /** as stored in verifications: E.164, or a lower-case e-mail address */
  recipient: string;
  /** digits of the number, with and without its country code; empty for an e-mail address */
  digits: string[];
}

/** Undefined if the text is neither a phone number nor an e-mail address. */
export function personOf({ config }: Needs<'config'>, text: string): Person | undefined {
  const address = email.safeParse(text);
  if (address.success) return { recipient: address.data, digits: [] };
  const e164 = possiblePhone(text, config);
  if (!e164) return undefined;
  const national = parsePhoneNumberFromString(e164)?.nationalNumber;
  return { recipient: e164, digits: [e164.slice(1), ...(national ? [national] : [])] };
}
