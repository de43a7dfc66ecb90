import type { AuthReply, Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { recordOfPerson } from '../../audit/audit.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type App, type CodeRoute, codeRoute } from '../account.ts';
import { uncount } from '../limits.ts';
import { masked } from '../masked.ts';
import { isPasswordRight } from '../passwords/password-check.ts';
import { type AskedFactors, secondFactorsAsked } from '../proofs/asked-factors.ts';
import { reserveSending, startChallenge, type Waiting } from '../proofs/challenges.ts';
import { type Entry, enterCode } from '../proofs/code-entry.ts';
import { holdPassword, type Person } from '../queries.ts';
import type { Client } from '../sessions/client.ts';
import { startSession } from '../sessions/sessions.ts';
import { completeSignUp, countsCompletedSignUps, signUpThrottle } from './sign-up.ts';

/** Sign-in with e-mail and password. An unknown address and a wrong password get the same response after the same time. */
export async function signInWith(
  app: App,
  { email, password, client }: { email: string; password: string; client: Client },
): Promise<AuthReply> {
  const found = await app.signInLookup.submit({ email, home: client.home });
  const { person, isKnown } = found ?? { person: undefined, isKnown: false };
  const { isRight, isQuiet } = await isPasswordRight(app, { email, person }, { password, client, isKnown });
  if (person && !isRight)
    app.failedSignIns.count({ person_id: person.id, subject: 'Wrong password', client });
  if (!person || !isRight) throw new Failure('invalid_credentials');

  const asked = await secondFactorsAsked(app, person);
  const [method] = asked.methods;
  if (method === 'passkey' || method === 'authenticator')
    return askForOwnFactor(app, person, { asked, client, isKnown });
  if (person.two_factor_enabled || !isQuiet) {
    const route = asked.route ?? (await codeRoute(app, person));
    if (route) return askForCode(app, person, { route, client, isKnown });
    // No carrier can send a code, and a person with two-factor needs one.
    if (person.two_factor_enabled) throw new Failure('unavailable');
  }
  const tokens = await app.db.transaction(async (tx) => {
    await mustHoldPassword(tx, person);
    return startSession(tx, app, person.id, client);
  });
  return { ...tokens, requires_2fa: false };
}

interface Asking {
  client: Client;
  isKnown: boolean;
}

/** Sends nothing: the user has a passkey or an authenticator app. */
async function askForOwnFactor(
  app: App,
  person: Person,
  { asked: { methods }, ...asking }: Asking & { asked: AskedFactors },
): Promise<AuthReply> {
  const nothing = { channel: 'email', recipient: null, letter: null } as const;
  const session_token = await challenge(app, person, { ...asking, addressee: person.email, ...nothing });
  return {
    requires_2fa: true,
    session_token,
    ...(methods[0] && { two_factor_method: methods[0] }),
    two_factor_methods: [...methods],
  };
}

async function askForCode(
  app: App,
  person: Person,
  { route, ...asking }: Asking & { route: CodeRoute },
): Promise<AuthReply> {
  const sending = { ...route, addressee: route.recipient, letter: 'signInCode' } as const;
  const session_token = await challenge(app, person, { ...asking, ...sending });
  app.wakeups.notify('notices');
  const { channel } = route;
  return {
    requires_2fa: true,
    session_token,
    two_factor_method: channel,
    two_factor_methods: [channel],
    sent_to: masked(route),
  };
}

async function challenge(
  app: App,
  person: Person,
  { client, isKnown, ...waiting }: Asking & Waiting,
): Promise<string> {
  const start = { purpose: 'sign_in', person_id: person.id, client, waiting } as const;
  await reserveSending(app, { ...start, home: isKnown ? client.home : null });
  return app.db.transaction(async (tx) => {
    await mustHoldPassword(tx, person);
    return startChallenge(tx, app, start);
  });
}

/** Rechecks the password inside the transaction, so that a concurrent change leaves no session behind. */
async function mustHoldPassword(tx: Tx, person: Person): Promise<void> {
  if (!(await holdPassword(tx, person))) throw new Failure('invalid_credentials');
}

/** The code step of a sign-in or a sign-up. Issues tokens once. */
export async function completeWithCode(app: App, entry: Entry): Promise<Tokens> {
  const { tokens, isSignUp } = await enterCode(app, ['sign_in', 'sign_up'], entry, async (tx, opened) => {
    const { person_id } = opened.challenge;
    const owner = person_id ?? (await completeSignUp(tx, app, opened));
    if (person_id === null)
      await recordOfPerson(tx, app, {
        person_id: owner,
        actor: 'owner',
        origin: entry.client,
        action: 'account.create',
      });
    return { tokens: await startSession(tx, app, owner, entry.client), isSignUp: person_id === null };
  });
  if (isSignUp && !countsCompletedSignUps(app)) await uncount(app, signUpThrottle(entry.client));
  return tokens;
}
