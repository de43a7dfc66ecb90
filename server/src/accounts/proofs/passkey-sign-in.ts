/**
 * Sign-in with a passkey, either alone or after the password. A passkey alone suffices, because it verifies its user and so
 * counts as both factors. The options for a sign-in without a password do not depend on a person, so they do not reveal
 * whether one exists.
 */

import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Assertion } from '@sixdigit/contract/second-factors/passkeys.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type App, personOf } from '../account.ts';
import { PASSKEY_BY_ADDRESS, PASSKEY_OPTIONS_BY_ADDRESS, reserve, throttle } from '../limits.ts';
import { assertionOptions, proveByPasskey } from '../second-factors/second-factors.ts';
import type { Client } from '../sessions/client.ts';
import { startSession } from '../sessions/sessions.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import { secondFactorsAsked } from './asked-factors.ts';
import { consumeChallenge, findChallenge, lockCodeEntry } from './challenge-queries.ts';

interface Options {
  options: { challenge: string };
}

export async function startPasskeySignInFrom(app: App, client: Client): Promise<Options> {
  await reserve(app, [throttle(PASSKEY_OPTIONS_BY_ADDRESS, client.network)]);
  return { options: await assertionOptions(app, ALONE) };
}

const ALONE = { purpose: 'sign_in', person_id: null, subject: null } as const;

export async function signInByPasskey(
  app: App,
  { credential, client }: { credential: Assertion; client: Client },
): Promise<Tokens> {
  const reservation = await reserve(app, [throttle(PASSKEY_BY_ADDRESS, client.network)]);
  const tokens = await proveByPasskey(app, ALONE, credential, (tx, person_id) =>
    startSession(tx, app, person_id, client),
  );
  await reservation.release();
  return tokens;
}

/** Starts the second step of a sign-in whose password was right. */
export async function startPasskeyStepOf(app: App, session_token: string): Promise<Options> {
  const { id, person_id } = await pendingSignIn(app, session_token);
  const { methods } = await secondFactorsAsked(app, await personOf(app.db, person_id));
  if (!methods.includes('passkey')) throw new Failure('second_factor_unavailable');
  return { options: await assertionOptions(app, { purpose: 'second_step', person_id, subject: id }) };
}

export async function completeWithPasskey(
  app: App,
  { session_token, credential, client }: { session_token: string; credential: Assertion; client: Client },
): Promise<Tokens> {
  const { id, person_id } = await pendingSignIn(app, session_token);
  const reservation = await reserve(app, [throttle(PASSKEY_BY_ADDRESS, client.network)]);
  const owner = { purpose: 'second_step', person_id, subject: id } as const;
  const tokens = await proveByPasskey(app, owner, credential, async (tx) => {
    await lockCodeEntry(tx, person_id);
    if (!(await consumeChallenge(tx, id))) throw new Failure('invalid_session_token');
    return startSession(tx, app, person_id, client);
  }).catch((cause: unknown) => {
    if (cause instanceof Failure && cause.reason === 'passkey_suspected')
      app.failedSignIns.count({ person_id, subject: SUSPECTED, client });
    throw cause;
  });
  await reservation.release();
  return tokens;
}

/** The subject of the audit log entry for a passkey whose counter did not grow. */
export const SUSPECTED = 'Passkey that may have been copied';

async function pendingSignIn(app: App, session_token: string): Promise<{ id: string; person_id: string }> {
  const pending = await findChallenge(app.db, hashOfToken(session_token), ['sign_in']);
  if (!pending?.person_id) throw new Failure('invalid_session_token');
  return { id: pending.id, person_id: pending.person_id };
}
