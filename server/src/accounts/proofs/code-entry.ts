import type { SecondFactor } from '@sixdigit/contract/second-factors/second-factors.ts';
import type { FailedAction, FailedSignIns } from '../../audit/audit.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { equalSecrets } from '../../platform/security/vault.ts';
import {
  AUTHENTICATOR_BY_ACCOUNT,
  CODE_ENTRY_BY_ADDRESS,
  CODE_TRIES,
  reserve,
  type Throttle,
  throttle,
} from '../limits.ts';
import { acceptAuthenticatorCode, consumeRecoveryCode } from '../second-factors/second-factors.ts';
import { type Client, knownHome } from '../sessions/client.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import {
  codeEntryLock,
  consumeChallenge,
  findChallenge,
  forgetWrongCodes,
  lockCodeEntry,
  type Purpose,
  recordWrongCode,
  reserveTry,
} from './challenge-queries.ts';
import { type Opened, openChallenge } from './challenges.ts';
import type { OwnSmsApp } from './own-sms.ts';

type App = OwnSmsApp & { failedSignIns: FailedSignIns };

/** A code that was sent, a code of the authenticator app, or a recovery code. */
export type CodeSource = 'sent' | Extract<SecondFactor, 'authenticator' | 'recovery_code'>;

export interface Entry {
  session_token: string;
  code: string;
  client: Client;
  /** by default the code that was sent, or the authenticator app's if none was sent */
  source?: CodeSource | undefined;
}

/**
 * Compares a code and, if it is right, consumes the challenge and runs `complete` in one transaction. If `complete` throws, the
 * transaction rolls back. Throws `invalid_session_token`, `code_entry_locked`, and `invalid_verification_code` or
 * `invalid_recovery_code`.
 */
export async function enterCode<T>(
  app: App,
  purposes: readonly Purpose[],
  entry: Entry,
  complete: (tx: Tx, opened: Opened) => Promise<T>,
): Promise<T> {
  const { client, code } = entry;
  const challenge = await findChallenge(app.db, hashOfToken(entry.session_token), purposes);
  if (!challenge) throw new Failure('invalid_session_token');
  const opened = openChallenge(app, challenge);
  const source = entry.source ?? (opened.letter === null ? 'authenticator' : 'sent');
  // Only a sign-in accepts factors that the user owns.
  if (source !== 'sent' && challenge.purpose !== 'sign_in') throw new Failure('invalid_session_token');
  const home = await knownHome(app.db, challenge.person_id, client);
  const reservation = await reserve(app, [
    ...(home === null ? [throttle(CODE_ENTRY_BY_ADDRESS, client.network)] : []),
    ...(source === 'authenticator' ? [authenticatorThrottle(challenge.person_id ?? '', home)] : []),
  ]);
  const outcome = await app.db.transaction((tx) =>
    attempt(tx, app, { opened, code, source, home, complete }),
  );
  const isWrongCode = outcome instanceof Failure && outcome.reason === WRONG[source];
  const { person_id, purpose } = challenge;
  const action = failedAction(purpose);
  if (isWrongCode && person_id && action)
    app.failedSignIns.count({ person_id, action, subject: 'Wrong code', client });
  if (!isWrongCode) await reservation.release();
  if (outcome instanceof Failure) throw outcome;
  return outcome.completed;
}

/** Other purposes are not recorded in the audit log, because strangers can start them. */
const failedAction = (purpose: Purpose): FailedAction | undefined =>
  purpose === 'sign_in' ? 'sign_in.fail' : purpose === 'step_up' ? 'step_up.fail' : undefined;

const WRONG = {
  sent: 'invalid_verification_code',
  authenticator: 'invalid_verification_code',
  recovery_code: 'invalid_recovery_code',
} as const;

/** Wrong codes do not make the app generate new ones, so they are also limited per day. */
const authenticatorThrottle = (person_id: string, home: string | null): Throttle =>
  throttle(AUTHENTICATOR_BY_ACCOUNT, person_id, home ?? 'elsewhere');

interface Attempt<T> {
  opened: Opened;
  code: string;
  source: CodeSource;
  home: string | null;
  complete(tx: Tx, opened: Opened): Promise<T>;
}

/** Returns a wrong code instead of throwing, so that its count is committed. */
async function attempt<T>(
  tx: Tx,
  app: App,
  { opened, code, source, home, complete }: Attempt<T>,
): Promise<{ completed: T } | Failure> {
  const { id, person_id, purpose } = opened.challenge;
  if (person_id) await lockCodeEntry(tx, person_id);
  const counts = purpose === 'sign_in' || purpose === 'phone' || purpose === 'step_up';
  const locked = person_id && counts ? await codeEntryLock(tx, person_id, home) : 0;
  if (locked > 0) return new Failure('code_entry_locked', { retry_after: locked });

  const tried = await reserveTry(tx, id);
  if (!tried) return new Failure('invalid_session_token');
  if (await isRightCode(tx, app, { opened, code, source, tried })) {
    if (!(await consumeChallenge(tx, id))) return new Failure('invalid_session_token');
    if (person_id && counts) await forgetWrongCodes(tx, person_id, home);
    return { completed: await complete(tx, opened) };
  }
  if (person_id && counts) await recordWrongCode(tx, person_id, home);
  const attempts_remaining = CODE_TRIES - tried.tries;
  if (attempts_remaining === 0) await consumeChallenge(tx, id);
  return new Failure(WRONG[source], { attempts_remaining });
}

async function isRightCode(
  tx: Tx,
  app: App,
  given: Pick<Attempt<unknown>, 'opened' | 'code' | 'source'> & {
    tried: { code_hmac: Buffer; is_code_alive: boolean };
  },
): Promise<boolean> {
  const { opened, code, source, tried } = given;
  const { id, person_id } = opened.challenge;
  if (source !== 'sent') {
    if (person_id === null) return false;
    const accept = source === 'authenticator' ? acceptAuthenticatorCode : consumeRecoveryCode;
    return accept(tx, app, { person_id, code });
  }
  const isRight = app.vault
    .fingerprints('dashboard code', `${id}:${code}`)
    .some((hmac) => equalSecrets(hmac, tried.code_hmac));
  return isRight && tried.is_code_alive;
}

/**
 * Compares a code of the person's authenticator app in a step-up and, if it is right, runs `complete` in the same transaction.
 * Wrong codes count like those of a sign-in.
 */
export async function enterAuthenticatorCode<T>(
  app: App,
  { person_id, code, client }: { person_id: string; code: string; client: Client },
  complete: (tx: Tx) => Promise<T>,
): Promise<T> {
  const home = await knownHome(app.db, person_id, client);
  const reservation = await reserve(app, [authenticatorThrottle(person_id, home)]);
  const outcome = await app.db.transaction(async (tx): Promise<{ completed: T } | Failure> => {
    await lockCodeEntry(tx, person_id);
    const locked = await codeEntryLock(tx, person_id, home);
    if (locked > 0) return new Failure('code_entry_locked', { retry_after: locked });
    if (!(await acceptAuthenticatorCode(tx, app, { person_id, code }))) {
      await recordWrongCode(tx, person_id, home);
      return new Failure('invalid_verification_code');
    }
    await forgetWrongCodes(tx, person_id, home);
    return { completed: await complete(tx) };
  });
  const isWrongCode = outcome instanceof Failure && outcome.reason === 'invalid_verification_code';
  if (isWrongCode)
    app.failedSignIns.count({ person_id, action: 'step_up.fail', subject: 'Wrong code', client });
  if (!isWrongCode) await reservation.release();
  if (outcome instanceof Failure) throw outcome;
  return outcome.completed;
}
