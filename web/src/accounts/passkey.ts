import type { Assertion, NewCredential } from '@sixdigit/contract/second-factors/passkeys.ts';
import { deployment } from '../api/deployment.ts';
import { signal } from '../api/signal.ts';

/** The library is loaded on first use. */
const library = () => import('@simplewebauthn/browser');

/** Browsers support passkeys only on secure pages of a named host. */
export const canUsePasskeys = (): boolean =>
  window.isSecureContext &&
  typeof window.PublicKeyCredential === 'function' &&
  !/^[\d.]+$|:/.test(window.location.hostname);

/** The same page at `localhost` if this one is at a loopback address, where browsers do not support passkeys. */
export function localhostUrl(
  location: Pick<Location, 'href' | 'hostname'> = window.location,
): string | undefined {
  if (!/^(?:127\.[\d.]+|\[::1\])$/.test(location.hostname)) return undefined;
  const url = new URL(location.href);
  url.hostname = 'localhost';
  return url.href;
}

export async function createCredential(options: object): Promise<NewCredential> {
  const { startRegistration } = await library();
  return (await startRegistration({ optionsJSON: options as never })) as unknown as NewCredential;
}

/** Counts the user's own requests and the pages that the user left. A late autofill request must not interrupt them. */
const interruptions = signal(0);

export async function getCredential(options: object): Promise<Assertion> {
  interruptions.set(interruptions.get() + 1);
  const { startAuthentication } = await library();
  return (await startAuthentication({ optionsJSON: options as never })) as unknown as Assertion;
}

/** Offers passkeys in the email field's autofill. Undefined if the browser does not support it, or after `cancelAutofill`. */
export async function getAutofilledCredential(
  ask: () => Promise<{ options: object }>,
): Promise<Assertion | undefined> {
  if (!canUsePasskeys()) return undefined;
  const before = interruptions.get();
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await library();
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  const { options } = await ask();
  // A browser handles one request at a time: a late autofill request would cancel the user's.
  if (interruptions.get() !== before) return undefined;
  const begun = startAuthentication({ optionsJSON: options as never, useBrowserAutofill: true });
  return (await begun.catch(() => undefined)) as unknown as Assertion | undefined;
}

export async function cancelAutofill(): Promise<void> {
  interruptions.set(interruptions.get() + 1);
  (await library()).WebAuthnAbortService.cancelCeremony();
}

/** Advice for the user about a browser error; undefined for other errors. */
export function passkeyProblem(cause: unknown): string | undefined {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'The passkey was not used. Please try again, or choose another method.';
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.';
  if (name === 'SecurityError')
    return `Passkeys for ${deployment().brand_name} do not work at this address. Open the dashboard at its public address.`;
  return undefined;
}
