/**
 * An action that waits for a code. Its client holds a `session_token`. The code is consumed in the transaction that completes the
 * action; five wrong codes end the challenge. Ten wrong codes within an hour after a right password lock code entry of the
 * person for fifteen minutes, counted separately for each known network.
 */

import { RESEND_COOLDOWN_SECONDS } from '@sixdigit/contract/accounts/sign-in.ts';
import { type NoticeContents, postNotice } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  ANONYMOUS_BY_RECIPIENT,
  ANONYMOUS_BY_RECIPIENT_AND_ADDRESS,
  CODE_SECONDS,
  CODES_BY_ACCOUNT,
  CODES_BY_ACCOUNT_AND_NETWORK,
  RESENDS,
  RESET_LINK_SECONDS,
  type Reservation,
  reserve,
  STEP_UP_CODES_BY_SESSION,
  throttle,
} from '../limits.ts';
import { type Client, knownHome } from '../sessions/client.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import {
  type Challenge,
  codeEntryLock,
  findChallenge,
  insertChallenge,
  type Purpose,
  resendState,
  reserveResend,
} from './challenge-queries.ts';
import { type OwnSmsApp, reserveOwnSms } from './own-sms.ts';
import { createResetLink } from './reset-links.ts';
import { paceOfResetMails } from './reset-mails.ts';

export interface Waiting {
  /** The address as entered, whether or not a person has it. */
  addressee: string;
  channel: 'email' | 'sms';
  /** Null if no person has the address. */
  recipient: string | null;
  /**
   * `withoutCode` sends a mail without a code, because no code can complete the challenge. Null sends nothing: the user's own
   * second factor completes it.
   */
  letter: CodeLetter | 'passwordResetLink' | { withoutCode: NoticeContents } | null;
  sign_up?: { email: string; phone_number: string; password_hash: string };
  phone_number?: string;
  /** the session that a step-up proves */
  session_id?: string;
  /** the address before an e-mail change, the operator who requested it, and the reason */
  email_change?: { from: string; reason: string; requested_by: string };
}

type CodeLetter = 'emailChangeCode' | 'signUpCode' | 'signInCode' | 'stepUpCode' | 'passwordResetCode';

type Sealed = Waiting & { code: string };
type App = Needs<'random' | 'wakeups'> & OwnSmsApp;

interface NewChallenge {
  purpose: Purpose;
  person_id: string | null;
  client: Client;
  waiting: Waiting;
}

/** Sends the code with the commit of `tx`. Send the wake-up `notices` after it. Returns the session token. */
export async function startChallenge(
  tx: Tx,
  app: App,
  { purpose, person_id, client, waiting }: NewChallenge,
): Promise<string> {
  const id = app.random.uuid();
  const token = app.random.token();
  const sealed: Sealed = { ...waiting, code: app.random.digits(6) };
  const opens = waiting.recipient !== null && hasCode(waiting.letter);
  const { code_expires_at } = await insertChallenge(tx, {
    id,
    token_hash: hashOfToken(token),
    purpose,
    person_id,
    code_hmac: opens ? app.vault.fingerprint('dashboard code', `${id}:${sealed.code}`) : app.random.bytes(32),
    sealed: app.vault.seal(JSON.stringify(sealed), sealOf(id)),
  });
  await post(tx, app, { purpose, person_id, client, sealed, code_expires_at });
  return token;
}

interface Sending {
  purpose: Purpose;
  person_id: string | null;
  client: Client;
  /** the known network of the person that the request came from, or null */
  home: string | null;
  waiting: Pick<Waiting, 'addressee' | 'session_id'>;
}

/** Reserves the sending against the rate limits first. Known networks have separate limits. */
export async function reserveSending(app: App, sending: Sending): Promise<Reservation> {
  const { purpose, person_id, client, home, waiting } = sending;
  const { addressee } = waiting;
  if (purpose === 'reset_password') {
    const reservation = await paceOfResetMails(app, addressee, home);
    if (!reservation) throw new Failure('too_many_requests', { retry_after: RESEND_COOLDOWN_SECONDS });
    return reservation;
  }
  if (purpose === 'step_up')
    return reserve(app, [throttle(STEP_UP_CODES_BY_SESSION, waiting.session_id ?? '')]);
  if (purpose === 'sign_in' && home !== null)
    return reserve(app, [throttle(CODES_BY_ACCOUNT_AND_NETWORK, person_id ?? '', home)]);
  return reserve(app, [
    ...(purpose === 'sign_up'
      ? [
          throttle(ANONYMOUS_BY_RECIPIENT_AND_ADDRESS, addressee, client.network),
          throttle(ANONYMOUS_BY_RECIPIENT, addressee),
        ]
      : [throttle(CODES_BY_ACCOUNT, person_id ?? '')]),
  ]);
}

export interface Opened extends Sealed {
  challenge: Challenge;
}

/** Sends the same code again. Returns the seconds until the next resend is allowed. */
export async function resendCode(
  app: App,
  { session_token, client }: { session_token: string; client: Client },
): Promise<{ retry_after: number }> {
  const challenge = await findChallenge(app.db, hashOfToken(session_token), ALL_PURPOSES);
  if (!challenge) throw new Failure('invalid_session_token');
  const { id, person_id, purpose } = challenge;
  const home = await knownHome(app.db, person_id, client);
  const locked = person_id && purpose !== 'reset_password' ? await codeEntryLock(app.db, person_id, home) : 0;
  if (locked > 0) throw new Failure('code_entry_locked', { retry_after: locked });

  const opened = openChallenge(app, challenge);
  if (opened.letter === null) throw new Failure('resend_limit_reached');
  const reservation = await reserveSending(app, { purpose, person_id, client, home, waiting: opened });
  const isSent = await app.db.transaction(async (tx) => {
    const reserved = await reserveResend(tx, id);
    if (!reserved) return false;
    const { code_expires_at } = reserved;
    await post(tx, app, { purpose, person_id, client, sealed: opened, code_expires_at });
    return true;
  });
  if (!isSent) {
    await reservation.release();
    throw await whyNoResend(app, id);
  }
  app.wakeups.notify('notices');
  return { retry_after: RESEND_COOLDOWN_SECONDS };
}

const ALL_PURPOSES: readonly Purpose[] = ['sign_in', 'sign_up', 'reset_password', 'phone', 'step_up'];

async function whyNoResend(app: App, id: string): Promise<Failure> {
  const state = await resendState(app.db, id);
  if (!state) return new Failure('invalid_session_token');
  if (state.resends >= RESENDS) return new Failure('resend_limit_reached');
  return new Failure('resend_too_soon', { retry_after: Math.max(1, state.retry_after) });
}

async function post(
  tx: Tx,
  app: App,
  sending: Omit<NewChallenge, 'waiting'> & { sealed: Sealed; code_expires_at: string },
): Promise<void> {
  const { person_id, sealed, code_expires_at } = sending;
  const { channel, addressee, letter, code } = sealed;
  if (letter === null) return;
  const isSent =
    channel === 'email' ||
    (await reserveOwnSms(tx, app, { ...sending, addressee, recipient: sealed.recipient }));
  const recipient = isSent ? sealed.recipient : null;
  const base = { channel, recipient, ...(person_id ? { person_id } : {}) };
  if (typeof letter === 'object')
    return postNotice(tx, app, { ...base, expires_at: code_expires_at, contents: letter.withoutCode });
  const withCode = hasCode(letter) ? { code } : {};
  if (letter !== 'passwordResetCode' && letter !== 'passwordResetLink') {
    const contents = { kind: letter, expiresInSeconds: CODE_SECONDS } as const;
    return postNotice(tx, app, { ...base, ...withCode, expires_at: code_expires_at, contents });
  }
  // Each mail needs a new link, because only the hash of the previous one is stored.
  const link = await createResetLink(tx, app, recipient === null ? null : person_id);
  const contents = {
    kind: 'passwordReset',
    expiresInSeconds: CODE_SECONDS,
    resetUrl: link.url,
    linkExpiresInSeconds: RESET_LINK_SECONDS,
  } as const;
  await postNotice(tx, app, { ...base, ...withCode, expires_at: link.expires_at, contents });
}

const hasCode = (letter: Waiting['letter']): letter is CodeLetter =>
  typeof letter === 'string' && letter !== 'passwordResetLink';

export const openChallenge = (app: Needs<'vault'>, challenge: Challenge): Opened => ({
  ...(JSON.parse(app.vault.open(challenge.sealed, sealOf(challenge.id))) as Sealed),
  challenge,
});

const sealOf = (id: string): string => `challenge:${id}`;
