import { randomInt } from 'node:crypto';
import { SettingsError } from './settings-error.ts';

/** Recipients that no other check of the run uses. */
export interface Recipients {
  phone(): string;
  email(): string;
}

/** Numbers from 555-0100 to 555-0199 in these areas are reserved for fiction. */
const AREA_CODES = (
  '201 202 206 212 213 214 215 216 303 305 312 313 314 323 330 404 408 410 412 414 415 501 502 ' +
  '503 504 505 510 512 513 516 602 603 606 608 612 614 615 617 619 626 702 703 704 713 714'
).split(' ');
const TRIES = 10_000;

export function createRecipients({ phone, email }: { phone: string | undefined; email: string }): Recipients {
  const used = new Set<string>();
  const unused = (make: () => string): string => {
    for (let n = 0; n < TRIES; n += 1) {
      const made = make();
      if (used.has(made)) continue;
      used.add(made);
      return made;
    }
    throw new SettingsError('The settings allow too few recipients: use more # in "phone" or "email".');
  };
  const fiction = () =>
    `+1${AREA_CODES[randomInt(AREA_CODES.length)]}55501${String(randomInt(100)).padStart(2, '0')}`;
  return {
    phone: () => unused(phone === undefined ? fiction : () => withDigits(phone)),
    email: () => unused(() => withDigits(email)),
  };
}

const withDigits = (pattern: string): string => pattern.replaceAll('#', () => String(randomInt(10)));

/** A code of six digits without a leading zero. */
export const newCode = (): string => String(randomInt(100_000, 1_000_000));
