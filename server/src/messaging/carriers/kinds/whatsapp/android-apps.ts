import { appHash } from '@sixdigit/contract/autofill.ts';
import type { FieldValues } from '../../carrier.ts';

/** The apps into which WhatsApp fills codes, in a text such as `com.acme.app K8a/AINcGX7, com.acme.beta K8a/AINcGX8`. */
const PACKAGE = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
const MOST_APPS = 5;

const entriesOf = (text = ''): [name: string, hash: string][] =>
  text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [name = '', hash = '', ...others] = entry.trim().split(/\s+/);
      return [name, others.length > 0 ? '' : hash];
    });

/** Why a text is not a list of apps, as a sentence. */
export function androidAppsProblem(text: string | undefined): string | undefined {
  const entries = entriesOf(text);
  if (entries.length > MOST_APPS) return `Name at most ${MOST_APPS} apps.`;
  const isRight = ([name, hash]: [string, string]) => PACKAGE.test(name) && appHash.safeParse(hash).success;
  return entries.every(isRight)
    ? undefined
    : 'Write package names with the 11 characters of their signature hash, such as com.acme.app K8a/AINcGX7.';
}

/** The button of the template: it fills the code into an app, or copies it where there is none. */
export function buttonOf({ android_apps, autofill }: FieldValues): object {
  const supported_apps = entriesOf(android_apps).map(([package_name, signature_hash]) => ({
    package_name,
    signature_hash,
  }));
  if (supported_apps.length === 0) return { type: 'OTP', otp_type: 'COPY_CODE' };
  return autofill === 'zero_tap'
    ? { type: 'OTP', otp_type: 'ZERO_TAP', zero_tap_terms_accepted: true, supported_apps }
    : { type: 'OTP', otp_type: 'ONE_TAP', supported_apps };
}
