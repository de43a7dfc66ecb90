import type { AuthReply, Tokens } from '#contract/accounts.ts';
import type { Sql } from '../db/sql.ts';
import { Failure } from '../http/failure.ts';
import { claimSending, type Entry, enterCode, startChallenge } from './challenges.ts';
import type { Client } from './client.ts';
import { SIGN_IN_BY_ACCOUNT, SIGN_UP_BY_ADDRESS } from './limits.ts';
import { type App, type CodeRoute, codeRoute, isPasswordRight } from './person.ts';
import { type Account, findAccountByEmail, holdPassword } from './queries.ts';
import { isKnownNetwork, startSession } from './sessions.ts';
import { completeSignUp } from './sign-up.ts';
import { count, throttle, uncount } from './throttle.ts';

/**
 * Signing in with e-mail and password. Whoever has no account, and whoever has another password, get the same answer
 * after the same time.
 */
export async function signInWith(
  app: App,
  { email, password, client }: { email: string; password: string; client: Client },
): Promise<AuthReply> {
  const anywhere = throttle(SIGN_IN_BY_ACCOUNT, email);
  const account = await findAccountByEmail(app.db, email);
  const isQuiet = await count(app, anywhere);
  const isRight = await isPasswordRight(
    app,
    { email, password_hash: account?.password_hash },
    password,
    client,
  ).catch(async (error) => {
    if (isQuiet) await uncount(app, anywhere);
    throw error;
  });
  if (!account || !isRight) throw new Failure('invalid_credentials');
  if (isQuiet) await uncount(app, anywhere);

  const isSuspicious = !isQuiet && !(await isKnownNetwork(app.db, account.id, client.network));
  if (account.two_factor_enabled || isSuspicious) {
    const route = await codeRoute(app, account);
    if (route) return askForCode(app, account, { route, client });
    // Nothing can carry a code: whoever has switched two-factor on still needs one.
    if (account.two_factor_enabled) throw new Failure('unavailable');
  }
  const tokens = await app.db.transaction(async (tx) => {
    await mustHoldPassword(tx, account);
    return startSession(tx, app, account.id, client);
  });
  return { ...tokens, requires_2fa: false };
}

async function askForCode(
  app: App,
  account: Account,
  { route, client }: { route: CodeRoute; client: Client },
): Promise<AuthReply> {
  const waiting = { ...route, addressee: route.recipient, letter: 'signInCode' } as const;
  const start = { purpose: 'sign_in', account_id: account.id, waiting } as const;
  await claimSending(app, { ...start, client });
  const session_token = await app.db.transaction(async (tx) => {
    await mustHoldPassword(tx, account);
    return startChallenge(tx, app, start);
  });
  app.pulse.ring('notices');
  return { requires_2fa: true, session_token, two_factor_method: route.channel };
}

/** The password was right a moment ago: a change in between must not leave a session behind. */
async function mustHoldPassword(tx: Sql, account: Account): Promise<void> {
  if (!(await holdPassword(tx, account))) throw new Failure('invalid_credentials');
}

/** The code step of a sign-in or a sign-up: tokens, once. */
export async function completeWithCode(app: App, entry: Entry): Promise<Tokens> {
  const { tokens, isSignUp } = await enterCode(app, ['sign_in', 'sign_up'], entry, async (tx, opened) => {
    const { account_id } = opened.challenge;
    const owner = account_id ?? (await completeSignUp(tx, app, opened));
    return { tokens: await startSession(tx, app, owner, entry.client), isSignUp: account_id === null };
  });
  if (isSignUp) await uncount(app, throttle(SIGN_UP_BY_ADDRESS, entry.client.network));
  return tokens;
}
