import type { Needs } from '../platform/platform.ts';
import { equalSecrets } from '../platform/vault.ts';

/** A live code at rest: `hmac` to check, `sealed` to send; both bound to account and recipient. */
export interface Code {
  hmac: Buffer;
  sealed: Buffer;
  length: number;
}

const bound = (account_id: string, recipient: string): string => `${account_id}\n${recipient}`;

/** Draws a code uniformly, leading zeros kept. */
export function mintCode(
  app: Needs<'random' | 'vault'>,
  owner: { account_id: string; recipient: string },
  length: number,
): Code {
  const digits = app.random.digits(length);
  const context = bound(owner.account_id, owner.recipient);
  return {
    hmac: app.vault.fingerprint('code', `${context}\n${digits}`),
    sealed: app.vault.seal(digits, context),
    length,
  };
}

export const openCode = (
  app: Needs<'vault'>,
  account_id: string,
  recipient: string,
  sealed: Uint8Array,
): string => app.vault.open(sealed, bound(account_id, recipient));

/** Whether the entered digits are the code behind any of these HMACs; takes the same time for every mismatch. */
export function isCode(
  app: Needs<'vault'>,
  owner: { account_id: string; recipient: string },
  digits: string,
  hmacs: readonly Buffer[],
): boolean {
  const entered = app.vault.fingerprints('code', `${bound(owner.account_id, owner.recipient)}\n${digits}`);
  let right = false;
  for (const hmac of hmacs) for (const one of entered) if (equalSecrets(hmac, one)) right = true;
  return right;
}

/** Wrong codes that one recipient of one account allows in any 24 hours, over all codes. */
export const WRONG_CODES_PER_DAY = 25;

/** Tries that a code allows: three below six digits, else five. */
export const triesFor = (codeLength: number): number => (codeLength < 6 ? 3 : 5);
