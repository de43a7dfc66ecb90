import { WRONG_PASSWORD } from '#contract/accounts.ts';
import type { Carriers } from '../carriers/carriers.ts';
import { hasOptedOut } from '../notices/notices.ts';
import type { PaymentsApp } from '../payments/payments.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Needs, Platform } from '../platform/platform.ts';
import type { Client } from './client.ts';
import {
  SIGN_IN_BY_ACCOUNT,
  SIGN_IN_BY_ACCOUNT_AND_ADDRESS,
  SIGN_IN_BY_ACCOUNT_AND_NETWORK,
  SIGN_IN_BY_ADDRESS,
} from './limits.ts';
import type { Passwords } from './passwords.ts';
import { type Account, findAccount } from './queries.ts';
import type { SignInLookup } from './sign-in-lookup.ts';
import { claim, count, type Throttle, throttle, uncount } from './throttle.ts';

/** The platform and ports that this module needs. */
export type App = Platform & {
  carriers: Pick<Carriers, 'has'>;
  passwords: Passwords;
  signInLookup: SignInLookup;
  metrics: Pick<Metrics, 'ownSms'>;
} & Pick<PaymentsApp, 'cards'>;

/** The caller's account. If a concurrent request deleted it, throws as for an ended session. */
export async function accountOf(sql: Sql, id: string): Promise<Account> {
  const account = await findAccount(sql, id);
  if (!account) throw new Failure('unauthenticated');
  return account;
}

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
    const claims = await claim(app, passwordThrottles(email, client, isKnown));
    const failures = throttle(SIGN_IN_BY_ACCOUNT, email, isKnown ? (client.home ?? '') : 'elsewhere');
    const isQuiet = await count(app, failures);
    const isRight = await app.passwords.compare(password_hash, password);
    if (isRight) {
      await claims.release();
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

/** Throws a field error instead of 401 if the password is wrong, because the caller is already signed in. */
export async function provePassword(
  app: App,
  account: Account,
  { field, password, client }: { field: 'current_password' | 'password'; password: string; client: Client },
): Promise<void> {
  const { isRight } = await isPasswordRight(app, account, { password, client, isKnown: true });
  if (!isRight) throw new FieldErrors({ [field]: [WRONG_PASSWORD] });
}

export interface CodeRoute {
  channel: 'email' | 'sms';
  recipient: string;
}

/** The route of a code for the account: its chosen method, or the other one if that is unavailable. */
export async function codeRoute(app: App, account: Account): Promise<CodeRoute | undefined> {
  const phone = account.two_factor_phone || (account.phone_verified_at ? account.phone_number : '');
  const canText = phone !== '' && app.carriers.has('sms') && !(await hasOptedOut(app.db, app, phone));
  const sms: CodeRoute = { channel: 'sms', recipient: phone };
  if (canText && account.two_factor_enabled && account.two_factor_method === 'sms') return sms;
  if (app.carriers.has('email')) return { channel: 'email', recipient: account.email };
  return canText ? sms : undefined;
}

/** The URL of a page of the dashboard, for links in mails. */
export const pageUrl = ({ config }: Needs<'config'>, path: `/${string}`): string =>
  `${config.publicUrl ?? `http://localhost:${config.port}`}${path}`;
