import { WRONG_PASSWORD } from '#contract/passwords.ts';
import type { FailedAction } from '../audit/audit.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { App } from './account.ts';
import type { Client } from './client.ts';
import {
  SIGN_IN_BY_ACCOUNT,
  SIGN_IN_BY_ACCOUNT_AND_ADDRESS,
  SIGN_IN_BY_ACCOUNT_AND_NETWORK,
  SIGN_IN_BY_ADDRESS,
} from './limits.ts';
import type { Account } from './queries.ts';
import { count, reserve, type Throttle, throttle, uncount } from './throttle.ts';

/**
 * Compares the password and counts a wrong one. All work happens within the hash queue's turn, so that a request refused there
 * costs the database nothing. `isQuiet`: the account had few recent failures from this known network, or from all unknown
 * networks.
 */
export async function isPasswordRight(
  app: Pick<App, 'db' | 'vault' | 'passwords'>,
  { email, password_hash }: { email: string; password_hash: string | null | undefined },
  { password, client, isKnown, isFirst = isKnown }: PasswordTry,
): Promise<{ isRight: boolean; isQuiet: boolean }> {
  return app.passwords.inTurn({ client, isKnown: isFirst }, async () => {
    const reservation = await reserve(app, passwordThrottles(email, client, isKnown));
    const failures = throttle(SIGN_IN_BY_ACCOUNT, email, isKnown ? (client.home ?? '') : 'elsewhere');
    const isQuiet = await count(app, failures);
    const isRight = await app.passwords.compare(password_hash, password);
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
  /** The account signed in from this network before, or is signed in now. */
  isKnown: boolean;
  /** Defaults to the priority of known networks. */
  isFirst?: boolean;
}

/** For a known network, only its own failures at the account count, so that other clients cannot exhaust its attempts. */
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
  /** the audit log's action for a wrong one; by default a failed sign-in */
  action?: FailedAction;
}

/** Throws a field error instead of 401 if the password is wrong, because the caller is already signed in. */
export async function provePassword(
  app: App,
  account: Account,
  { field, password, client, action }: PasswordProof,
): Promise<void> {
  const { isRight } = await isPasswordRight(app, account, { password, client, isKnown: true });
  if (isRight) return;
  app.failedSignIns.count({ account_id: account.id, action, subject: 'Wrong current password', client });
  throw new FieldErrors({ [field]: [WRONG_PASSWORD] });
}
