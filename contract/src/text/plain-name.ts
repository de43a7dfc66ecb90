import { asciiDigits } from './digits.ts';

/**
 * Whether a name has nothing that a mail program or browser turns into a link: neither an address nor a phone number. Compatible
 * characters count as what they stand for (NFKC), as in browsers, and every full stop as a dot. Invitations omit other
 * names, because an attacker could send texts to strangers in them.
 */
export function isPlainName(name: string): boolean {
  const plain = name.normalize('NFKC').replace(/\p{Cf}/gu, '');
  if (plain === '' || /[.\u3002\u2024\u00b7:/@\\]|www/iu.test(plain)) return false;
  return asciiDigits(plain).replace(/[^0-9]/g, '').length < PHONE_DIGITS_MIN;
}
/** A name with fewer digits is not read as a phone number. */
const PHONE_DIGITS_MIN = 5;
