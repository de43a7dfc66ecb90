import { WRONG_PASSWORD } from '@sixdigit/contract/accounts/passwords.ts';
import type { FailedAction } from '../../audit/audit.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import type { App } from '../account.ts';
import {
  count,
  FIRST_IN_QUEUE,
  PROOFS_BY_SESSION,
  type Reservation,
  reserve,
  SIGN_IN_BY_ACCOUNT,
  SIGN_IN_BY_ACCOUNT_AND_ADDRESS,
  SIGN_IN_BY_ACCOUNT_AND_NETWORK,
  SIGN_IN_BY_ADDRESS,
  type Throttle,
  throttle,
  uncount,
} from '../limits.ts';
import type { Person } from '../queries.ts';
import type { Client } from '../sessions/client.ts';
import type { Place } from './hash-queue.ts';

/**
 * Compares the password of a sign-in and counts a wrong one. All work happens in a turn of the hash queue, so that a request
 * refused by the queue costs the database nothing. `isQuiet` is true if the person had few recent failures from this known
 * network or, for an unknown network, from all unknown networks.
 */
export async function isPasswordRight(
  app: Pick<App, 'db' | 'vault' | 'passwords'>,
  { email, person }: { email: string; person: Person | undefined },
  { password, client, isKnown }: PasswordTry,
): Promise<{ isRight: boolean; isQuiet: boolean }> {
  const place = await placeOfStranger(app, { email, person_id: person?.id ?? null, client, isKnown });
  return app.passwords.inTurn(place, async () => {
    const reservation = await reserve(app, passwordThrottles(email, client, isKnown));
    const failures = throttle(SIGN_IN_BY_ACCOUNT, email, isKnown ? (client.home ?? '') : 'elsewhere');
    const isQuiet = await count(app, failures);
    const isRight = await app.passwords.compare(person?.password_hash, password);
    if (isRight) {
      await reservation.release();
      if (isQuiet) await uncount(app, failures);
    }
    return { isRight, isQuiet };
  });
}

interface PasswordTry {
  password: string;
  client: Client;
  /** Whether the person signed in from this network before. */
  isKnown: boolean;
}

/** The place in the hash queue for a caller without a session. A known network has priority for a limited number of calls. */
export async function placeOfStranger(
  app: Pick<App, 'db' | 'vault'>,
  { email, person_id, client, isKnown }: Omit<PasswordTry, 'password'> & QueuedFor,
): Promise<Place> {
  const isFirst =
    isKnown && person_id !== null && (await count(app, throttle(FIRST_IN_QUEUE, email, client.home ?? '')));
  return isFirst ? { room: 'known', person_id, client } : { room: 'open', client };
}

interface QueuedFor {
  email: string;
  person_id: string | null;
}

/**
 * For a known network, only failures of this address for this person count, so that other clients cannot exhaust its attempts.
 */
const passwordThrottles = (email: string, client: Client, isKnown: boolean): Throttle[] => [
  throttle(SIGN_IN_BY_ACCOUNT_AND_ADDRESS, email, client.network),
  ...(isKnown
    ? []
    : [
        throttle(SIGN_IN_BY_ADDRESS, client.network),
        throttle(SIGN_IN_BY_ACCOUNT_AND_NETWORK, email, client.home ?? client.network),
      ]),
];

interface PasswordProof {
  field: 'current_password' | 'password';
  password: string;
  client: Client;
  /** the audit log's action for a wrong password; by default a failed sign-in */
  action?: FailedAction;
}

/**
 * Compares the current password in a session. A wrong password counts like any other failed proof of the session, regardless of
 * the client's address. Throws a field error instead of 401, because the caller is already signed in.
 */
export async function provePassword(
  app: Pick<App, 'db' | 'vault' | 'passwords' | 'failedSignIns'>,
  { session_id }: Pick<PersonCaller, 'session_id'>,
  person: Person,
  { field, password, client, action }: PasswordProof,
): Promise<void> {
  const place = { room: 'signed_in', person_id: person.id, client } as const;
  const isRight = await app.passwords.inTurn(place, async () => {
    const reservation = await reserveProof(app, session_id);
    if (!(await app.passwords.compare(person.password_hash, password))) return false;
    await reservation.release();
    return true;
  });
  if (isRight) return;
  app.failedSignIns.count({ person_id: person.id, action, subject: 'Wrong current password', client });
  throw new FieldErrors({ [field]: [WRONG_PASSWORD] });
}

/** Reserves one attempt of a session to prove its user's identity. Release it if the proof is right. */
export const reserveProof = (app: Pick<App, 'db' | 'vault'>, session_id: string): Promise<Reservation> =>
  reserve(app, [throttle(PROOFS_BY_SESSION, session_id)]);
