import type { Channel } from '@sixdigit/contract/channels.ts';
import { TEST_CODE } from '@sixdigit/contract/test-mode.ts';
import type { Needs } from '../platform/platform.ts';
import { equalSecrets } from '../platform/security/vault.ts';

/** A live code as stored: `hmac` to check it, `sealed` to send it. Both are bound to the account and the recipient. */
export interface Code {
  hmac: Buffer;
  sealed: Buffer;
  length: number;
  /** The plain code if this batch drew it, so that a direct dispatch need not decrypt it. Never stored or logged. */
  digits?: string;
}

const bound = (account_id: string, recipient: string): string => `${account_id}\n${recipient}`;

/** Draws a uniformly random code; leading zeros are preserved. Tests get the documented test code. */
export const mintCode = (
  app: Needs<'random' | 'vault'>,
  owner: { account_id: string; recipient: string; is_test?: boolean },
  length: number,
): Code => sealedCode(app, owner, owner.is_test ? TEST_CODE.slice(0, length) : app.random.digits(length));

/** A code that the sender has made, and all forms in which the HMAC of an earlier send of the same code may be stored. */
export interface OwnCode extends Code {
  hmacs: readonly Buffer[];
}

/**
 * Seals a code that the sender has made. Its HMAC depends on the key and the channel and has its own purpose, so that it finds a
 * repeated send but never matches a code that is verified here.
 */
export function sealOwnCode(
  app: Needs<'vault'>,
  { account_id, api_key_id, channel, recipient }: OwnCodeOwner,
  digits: string,
): OwnCode {
  const context = bound(account_id, recipient);
  const hmacs = app.vault.fingerprints('own-code', `${context}\n${api_key_id}\n${channel}\n${digits}`);
  return {
    hmac: hmacs[0] as Buffer,
    hmacs,
    sealed: app.vault.seal(digits, context),
    length: digits.length,
    digits,
  };
}

interface OwnCodeOwner {
  account_id: string;
  api_key_id: string;
  channel: Channel;
  recipient: string;
}

function sealedCode(
  app: Needs<'vault'>,
  owner: { account_id: string; recipient: string },
  digits: string,
): Code {
  const context = bound(owner.account_id, owner.recipient);
  return {
    hmac: app.vault.fingerprint('code', `${context}\n${digits}`),
    sealed: app.vault.seal(digits, context),
    length: digits.length,
    digits,
  };
}

export const openCode = (
  app: Needs<'vault'>,
  account_id: string,
  recipient: string,
  sealed: Uint8Array,
): string => app.vault.open(sealed, bound(account_id, recipient));

/** Whether the entered digits match any of these HMACs. Every mismatch takes the same time. */
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

/** Wrong codes allowed per account and recipient in any 24 hours, across all codes. */
export const WRONG_CODES_PER_DAY = 25;

const MINUTE = 60_000;
/** Sends to the same recipient share a code for this long after its first send. */
export const SHARING_MS = 10 * MINUTE;
export const DAY_MS = 24 * 60 * MINUTE;

/** A recipient's row as the decision reads and updates it. Times are in ms of the database clock. */
export interface RecipientState {
  account_id: string;
  recipient: string;
  code: Code | null;
  first_sent_ms: number;
  open_until_ms: number;
  open_ids: string[];
  tries_used: number;
  sends: number[];
  /** The times of the last day's wrong codes, limited by WRONG_CODES_PER_DAY. */
  wrong_tries: readonly number[];
  touched: boolean;
}

interface OfRow {
  recipient: string;
  is_test: boolean;
  own_code: boolean;
  /** What the code is for; null or absent: nothing in particular. */
  purpose?: string | null | undefined;
}

/**
 * The recipient as stored in the state row with its code and its open verifications. Test sends have separate rows, so they share
 * no code or limit with live sends. Sends of own codes and sends with a purpose have separate rows too, which have no limits: those
 * are in the row of `limitsRecipient`. No recipient contains a colon.
 */
export const stateRecipient = ({ own_code, purpose, ...row }: OfRow): string =>
  `${row.is_test ? 'test:' : ''}${own_code ? 'own:' : ''}${purpose ? `for:${purpose}:` : ''}${row.recipient}`;

/** The recipient as stored in the state row with its limits, and with the code of its sends without a purpose. */
export const limitsRecipient = ({ recipient, is_test }: Pick<OfRow, 'recipient' | 'is_test'>): string =>
  stateRecipient({ recipient, is_test, own_code: false });

/** The state rows of a verification, whose locks are taken together. */
export const stateRecipientsOf = (row: OfRow): string[] => [limitsRecipient(row), stateRecipient(row)];

export const recipientKey = (account_id: string, recipient: string): string => `${account_id} ${recipient}`;

/** A recipient that has no row yet. */
export const newRecipient = ({
  account_id,
  recipient,
}: Pick<RecipientState, 'account_id' | 'recipient'>): RecipientState => ({
  account_id,
  recipient,
  code: null,
  first_sent_ms: 0,
  open_until_ms: 0,
  open_ids: [],
  tries_used: 0,
  sends: [],
  wrong_tries: [],
  touched: false,
});
