import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { record } from '../audit/audit.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { Failure } from '../platform/http/failure.ts';
import { type App, accountOf } from './account.ts';
import { secondFactorsAsked } from './asked-factors.ts';
import { codeEntryLock, consumeChallenge, findChallenge, lockCodeEntry } from './challenge-queries.ts';
import { reserveSending, startChallenge } from './challenges.ts';
import type { Client } from './client.ts';
import { enterCode } from './code-entry.ts';
import { knownHome } from './known-networks.ts';
import { masked } from './masked.ts';
import { countRecoveryCodes } from './second-factors/second-factors.ts';
import { startSession } from './sessions.ts';
import { hashOfToken } from './tokens.ts';

/** The second step of a sign-in, by another factor than the one that it asks for first. */
export async function completeWithRecoveryCode(
  app: App,
  { session_token, recovery_code, client }: { session_token: string; recovery_code: string; client: Client },
): Promise<Tokens> {
  const entry = { session_token, code: recovery_code, client, source: 'recovery_code' } as const;
  const tokens = await enterCode(app, ['sign_in'], entry, async (tx, { challenge: { account_id } }) => {
    if (account_id === null) throw new Failure('invalid_session_token');
    const left = await countRecoveryCodes(tx, account_id);
    await record(tx, app, {
      account_id,
      actor: 'owner',
      origin: client,
      action: 'recovery_codes.use',
      after: { left },
    });
    await notifyAccount(tx, app, account_id, { kind: 'recoveryCodeUsed', left });
    return startSession(tx, app, account_id, client);
  });
  app.wakeups.notify('notices');
  return tokens;
}

interface Sent {
  session_token: string;
  two_factor_method: 'sms' | 'email';
  sent_to: string;
}

/** Replaces the pending step by one that waits for a sent code. Throws `second_factor_unavailable`. */
export async function sendCodeInstead(
  app: App,
  { session_token, client }: { session_token: string; client: Client },
): Promise<Sent> {
  const pending = await findChallenge(app.db, hashOfToken(session_token), ['sign_in']);
  if (!pending?.account_id) throw new Failure('invalid_session_token');
  const { id, account_id } = pending;
  const { route } = await secondFactorsAsked(app, await accountOf(app.db, account_id));
  if (!route) throw new Failure('second_factor_unavailable');
  const waiting = { ...route, addressee: route.recipient, letter: 'signInCode' } as const;
  const start = { purpose: 'sign_in', account_id, client, waiting } as const;
  const home = await knownHome(app.db, account_id, client);
  await reserveSending(app, { ...start, home });
  const next = await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, account_id);
    const locked = await codeEntryLock(tx, account_id, home);
    if (locked > 0) throw new Failure('code_entry_locked', { retry_after: locked });
    // A challenge whose tries are used up, or that was completed meanwhile, is gone.
    if (!(await consumeChallenge(tx, id))) throw new Failure('invalid_session_token');
    return startChallenge(tx, app, start);
  });
  app.wakeups.notify('notices');
  return { session_token: next, two_factor_method: route.channel, sent_to: masked(route) };
}
