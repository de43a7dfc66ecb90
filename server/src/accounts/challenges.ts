import { RESEND_COOLDOWN_SECONDS } from '#contract/accounts.ts';
import type { Sql } from '../db/sql.ts';
import type { Needs } from '../ground.ts';
import { Failure } from '../http/failure.ts';
import { type NoticeContents, postNotice } from '../notices/notices.ts';
import { equalSecrets } from '../vault.ts';
import {
  type Challenge,
  claimResend,
  claimTry,
  codeEntryLock,
  consumeChallenge,
  findChallenge,
  forgetWrongCodes,
  insertChallenge,
  lockCodeEntry,
  type Purpose,
  recordWrongCode,
  resendState,
} from './challenge-queries.ts';
import type { Client } from './client.ts';
import {
  ANONYMOUS_BY_RECIPIENT,
  ANONYMOUS_BY_RECIPIENT_AND_ADDRESS,
  CODE_ENTRY_BY_ADDRESS,
  CODE_SECONDS,
  CODE_TRIES,
  CODES_BY_ACCOUNT,
  CODES_BY_PHONE,
  RESENDS,
  RESET_BY_ACCOUNT,
  RESET_BY_ACCOUNT_AND_ADDRESS,
} from './limits.ts';
import { type Claims, claim, type Throttle, throttle } from './throttle.ts';
import { hashOfToken } from './tokens.ts';

/**
 * Something that waits for a code, known to its caller by a `session_token`. The code opens it once, together with what
 * it completes, in one transaction; five wrong codes end it. Ten wrong ones of an account within an hour, over all that
 * was started with its password, rest code entry for fifteen minutes.
 */
export interface Waiting {
  /** The address as given, whether or not anybody is there. */
  addressee: string;
  channel: 'email' | 'sms';
  /** Null where nobody is there. */
  recipient: string | null;
  /** Without a code in it where no code opens it. */
  letter: 'signUpCode' | 'signInCode' | 'passwordResetCode' | { withoutCode: NoticeContents };
  sign_up?: { email: string; phone_number: string; password_hash: string };
  phone_number?: string;
}

type Sealed = Waiting & { code: string };
type App = Needs<'db' | 'vault' | 'random' | 'pulse'>;

/** Sends the code with the commit of `tx`; ring `notices` after it. Answers the session token. */
export async function startChallenge(
  tx: Sql,
  app: App,
  { purpose, account_id, waiting }: { purpose: Purpose; account_id: string | null; waiting: Waiting },
): Promise<string> {
  const id = app.random.uuid();
  const token = app.random.token();
  const sealed: Sealed = { ...waiting, code: app.random.digits(6) };
  const opens = waiting.recipient !== null && typeof waiting.letter === 'string';
  const { code_expires_at } = await insertChallenge(tx, {
    id,
    token_hash: hashOfToken(token),
    purpose,
    account_id,
    code_hmac: opens ? app.vault.fingerprint('dashboard code', `${id}:${sealed.code}`) : app.random.bytes(32),
    sealed: app.vault.seal(JSON.stringify(sealed), sealOf(id)),
  });
  await post(tx, app, { account_id, sealed, code_expires_at });
  return token;
}

/** What may be sent is claimed before it is sent. */
export function claimSending(
  app: App,
  {
    purpose,
    account_id,
    client,
    waiting,
  }: {
    purpose: Purpose;
    account_id: string | null;
    client: Client;
    waiting: Pick<Waiting, 'addressee' | 'channel'>;
  },
): Promise<Claims> {
  const { addressee } = waiting;
  const isAnonymous = purpose === 'sign_up' || purpose === 'reset_password';
  return claim(app, [
    ...(isAnonymous
      ? [
          throttle(ANONYMOUS_BY_RECIPIENT_AND_ADDRESS, addressee, client.network),
          throttle(ANONYMOUS_BY_RECIPIENT, addressee),
        ]
      : [throttle(CODES_BY_ACCOUNT, account_id ?? '')]),
    ...(waiting.channel === 'sms' ? [throttle(CODES_BY_PHONE, addressee)] : []),
  ]);
}

export interface Entry {
  session_token: string;
  code: string;
  client: Client;
}

/**
 * Compares a code and, if it is right, consumes the challenge with what `complete` does, in one transaction. `complete`
 * throws to undo it all. Throws `invalid_session_token`, `invalid_verification_code`, `code_entry_locked`.
 */
export async function enterCode<T>(
  app: App,
  purposes: readonly Purpose[],
  entry: Entry,
  complete: (tx: Sql, opened: Opened) => Promise<T>,
): Promise<T> {
  const challenge = await findChallenge(app.db, hashOfToken(entry.session_token), purposes);
  if (!challenge) throw new Failure('invalid_session_token');
  const opened = open(app, challenge);
  const claims = await claimEntry(app, opened, entry.client);
  const outcome = await app.db.transaction((tx) => attempt(tx, app, { opened, code: entry.code, complete }));
  const isWrongCode = outcome instanceof Failure && outcome.reason === 'invalid_verification_code';
  if (!isWrongCode) await claims.release();
  if (outcome instanceof Failure) throw outcome;
  return outcome.completed;
}

export interface Opened extends Sealed {
  challenge: Challenge;
}

interface Attempt<T> {
  opened: Opened;
  code: string;
  complete(tx: Sql, opened: Opened): Promise<T>;
}

/** A wrong code is counted, so it is an answer; only what must be undone is thrown. */
async function attempt<T>(
  tx: Sql,
  app: App,
  { opened, code, complete }: Attempt<T>,
): Promise<{ completed: T } | Failure> {
  const { id, account_id, purpose } = opened.challenge;
  const locked = account_id ? await lockCodeEntry(tx, account_id) : 0;
  const counts = purpose === 'sign_in' || purpose === 'phone';
  if (counts && locked > 0) return new Failure('code_entry_locked', { retry_after: locked });

  const tried = await claimTry(tx, id);
  if (!tried) return new Failure('invalid_session_token');
  const isRight = app.vault
    .fingerprints('dashboard code', `${id}:${code}`)
    .some((hmac) => equalSecrets(hmac, tried.code_hmac));
  if (isRight && tried.is_code_alive) {
    if (!(await consumeChallenge(tx, id))) return new Failure('invalid_session_token');
    if (account_id && counts) await forgetWrongCodes(tx, account_id);
    return { completed: await complete(tx, opened) };
  }
  if (account_id && counts) await recordWrongCode(tx, account_id);
  const attempts_remaining = CODE_TRIES - tried.tries;
  if (attempts_remaining === 0) await consumeChallenge(tx, id);
  return new Failure('invalid_verification_code', { attempts_remaining });
}

function claimEntry(app: App, { challenge, addressee }: Opened, client: Client): Promise<Claims> {
  const byAddress: Throttle[] = [throttle(CODE_ENTRY_BY_ADDRESS, client.network)];
  if (challenge.purpose !== 'reset_password') return claim(app, byAddress);
  const byAccount = [
    throttle(RESET_BY_ACCOUNT_AND_ADDRESS, addressee, client.network),
    throttle(RESET_BY_ACCOUNT, addressee),
  ];
  return claim(app, [...byAddress, ...byAccount], 'code_entry_locked');
}

/** The same code once more. Answers the seconds until it may be asked for again. */
export async function resendCode(
  app: App,
  { session_token, client }: Omit<Entry, 'code'>,
): Promise<{ retry_after: number }> {
  const challenge = await findChallenge(app.db, hashOfToken(session_token), ALL_PURPOSES);
  if (!challenge) throw new Failure('invalid_session_token');
  const { id, account_id, purpose } = challenge;
  const locked = account_id && purpose !== 'reset_password' ? await codeEntryLock(app.db, account_id) : 0;
  if (locked > 0) throw new Failure('code_entry_locked', { retry_after: locked });

  const opened = open(app, challenge);
  const claims = await claimSending(app, { purpose, account_id, client, waiting: opened });
  const isSent = await app.db.transaction(async (tx) => {
    const claimed = await claimResend(tx, id);
    if (!claimed) return false;
    await post(tx, app, { account_id, sealed: opened, code_expires_at: claimed.code_expires_at });
    return true;
  });
  if (!isSent) {
    await claims.release();
    throw await whyNoResend(app, id);
  }
  app.pulse.ring('notices');
  return { retry_after: RESEND_COOLDOWN_SECONDS };
}

const ALL_PURPOSES: readonly Purpose[] = ['sign_in', 'sign_up', 'reset_password', 'phone'];

async function whyNoResend(app: App, id: string): Promise<Failure> {
  const state = await resendState(app.db, id);
  if (!state) return new Failure('invalid_session_token');
  if (state.resends >= RESENDS) return new Failure('resend_limit_reached');
  return new Failure('resend_too_soon', { retry_after: Math.max(1, state.retry_after) });
}

async function post(
  tx: Sql,
  app: App,
  {
    account_id,
    sealed,
    code_expires_at,
  }: { account_id: string | null; sealed: Sealed; code_expires_at: string },
): Promise<void> {
  const { channel, recipient, letter, code } = sealed;
  const base = { channel, recipient, ...(account_id ? { account_id } : {}), expires_at: code_expires_at };
  if (typeof letter === 'string')
    await postNotice(tx, app, { ...base, contents: { kind: letter, expiresInSeconds: CODE_SECONDS }, code });
  else await postNotice(tx, app, { ...base, contents: letter.withoutCode });
}

const open = (app: App, challenge: Challenge): Opened => ({
  ...(JSON.parse(app.vault.open(challenge.sealed, sealOf(challenge.id))) as Sealed),
  challenge,
});

const sealOf = (id: string): string => `challenge:${id}`;
