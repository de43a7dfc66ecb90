import { email } from '@sixdigit/contract/field.ts';
import { type PhoneOptions, possiblePhone } from './phone.ts';

/** The recipient that a text spells, as it is stored. Undefined if the text is neither a phone number nor an e-mail address. */
export function recipientOf(options: PhoneOptions, text: string): string | undefined {
  const address = email.safeParse(text);
  return address.success ? address.data : possiblePhone(text, options);
}
