import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { Assertion } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  STEP_UP_METHODS,
  type StepUp,
  type StepUpBody,
  type StepUpMethod,
} from '@sixdigit/contract/second-factors/step-up.ts';
import { byPerson, recordOfPerson } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import { type App, type CodeRoute, personOf } from '../account.ts';
import { masked } from '../masked.ts';
import { provePassword, reserveProof } from '../passwords/password-check.ts';
import { holdPassword, type Person } from '../queries.ts';
import { assertionOptions, countRecoveryCodes, proveByPasskey } from '../second-factors/second-factors.ts';
import { type Client, knownHome } from '../sessions/client.ts';
import { markProven, provenUntil, startSession } from '../sessions/sessions.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import { secondFactorsAsked } from './asked-factors.ts';
import { codeEntryLock, consumeChallenge, findChallenge, lockCodeEntry } from './challenge-queries.ts';
import { reserveSending, startChallenge } from './challenges.ts';
import { enterAuthenticatorCode, enterCode } from './code-entry.ts';
import { SUSPECTED } from './passkey-sign-in.ts';

/**
 * A session proves again that it belongs to the user (ASVS 7.5.1). If the person has a second factor, that factor is the
 * proof, because the password alone would not open a session either. Wrong proofs are counted by session, so they do not lock
 * out the owner's other sessions or a new sign-in.
 */
export async function stepUpState(app: App, caller: PersonCaller): Promise<StepUp> {
  const { person_id, session_id } = caller;
  if (caller.sso_account_id !== null)
    return { proven_until: await provenUntil(app.db, session_id), methods: ['sso'] };
  const person = await personOf(app.db, person_id);
  const [proven_until, ways] = await Promise.all([provenUntil(app.db, session_id), waysOf(app, person)]);
  return { proven_until, methods: ways.methods };
}

/** Throws `step_up_method_refused` for an SSO session: see `startSsoStepUpOf`. */
function mustProveHere({ sso_account_id }: PersonCaller): void {
  if (sso_account_id !== null) throw new Failure('step_up_method_refused');
}

interface Ways {
  methods: StepUpMethod[];
  /** where a code can be sent */
  route: CodeRoute | undefined;
}

/** Recovery codes work only at a sign-in, which is itself a proof. */
async function waysOf(app: App, person: Person): Promise<Ways> {
  const { methods, route } = await secondFactorsAsked(app, person);
  if (methods.length === 0 && !person.two_factor_enabled) return { methods: ['password'], route: undefined };
  return { methods: STEP_UP_METHODS.filter((method) => methods.some((asked) => asked === method)), route };
}

export async function sendStepUpCodeTo(
  app: App,
  caller: PersonCaller,
  client: Client,
): Promise<{ session_token: string; sent_to: string }> {
  const { person_id, session_id } = caller;
  mustProveHere(caller);
  const { route } = await waysOf(app, await personOf(app.db, person_id));
  if (!route) throw new FieldErrors({ password: ['Use your password.'] });
  const start = {
    purpose: 'step_up',
    person_id,
    client,
    waiting: { ...route, addressee: route.recipient, letter: 'stepUpCode', session_id },
  } as const;
  await reserveSending(app, { ...start, home: null });
  const session_token = await app.db.transaction((tx) => startChallenge(tx, app, start));
  app.wakeups.notify('notices');
  return { session_token, sent_to: masked(route) };
}

interface Proof extends StepUpBody {
  client: Client;
}

/** Throws a field error for a wrong password, and `step_up_method_refused` for a proof that is not the person's. */
export async function stepUpWith(
  app: App,
  caller: PersonCaller,
  proof: Proof,
): Promise<{ proven_until: string }> {
  mustProveHere(caller);
  const person = await personOf(app.db, caller.person_id);
  const { methods } = await waysOf(app, person);
  return { proven_until: await prove(app, { person, caller, proof, methods }) };
}

/** Whether the password is a proof, because the person has no second factor. */
export const provesByPassword = async (app: App, person: Person): Promise<boolean> =>
  (await waysOf(app, person)).methods.includes('password');

async function counted<T>(app: App, caller: PersonCaller, attempt: () => Promise<T>): Promise<T> {
  const reservation = await reserveProof(app, caller.session_id);
  const result = await attempt();
  await reservation.release();
  return result;
}

interface Proving {
  person: Person;
  caller: PersonCaller;
  proof: Proof;
  methods: readonly StepUpMethod[];
}

function prove(app: App, { person, caller, proof, methods }: Proving): Promise<string> {
  const { password, code, session_token, client } = proof;
  if (code !== undefined)
    return counted(app, caller, () =>
      provedByCode(app, { person, caller, code, session_token, client, methods }),
    );
  if (password === undefined) throw new FieldErrors({ password: [REQUIRED] });
  return provedByPassword(app, { person, caller, password, client, methods });
}

function provedByCode(
  app: App,
  proving: Omit<Proving, 'proof'> & Pick<Proof, 'session_token' | 'client'> & { code: string },
): Promise<string> {
  const { person, caller, code, session_token, client, methods } = proving;
  if (session_token !== undefined)
    return enterCode(app, ['step_up'], { session_token, code, client }, (tx, { challenge, session_id }) => {
      if (challenge.person_id !== person.id || session_id !== caller.session_id)
        throw new Failure('invalid_session_token');
      return mustMark(tx, app, caller);
    });
  if (!methods.includes('authenticator')) throw new Failure('step_up_method_refused');
  const entry = { person_id: person.id, code, client };
  return enterAuthenticatorCode(app, entry, (tx) => mustMark(tx, app, caller));
}

async function provedByPassword(
  app: App,
  proving: Omit<Proving, 'proof'> & { password: string; client: Client },
): Promise<string> {
  const { person, caller, password, client, methods } = proving;
  if (!methods.includes('password')) throw new Failure('step_up_method_refused');
  await provePassword(app, caller, person, { field: 'password', password, client, action: 'step_up.fail' });
  return app.db.transaction(async (tx) => {
    // A concurrent change of the password invalidates the comparison.
    if (!(await holdPassword(tx, person))) throw new Failure('unauthenticated');
    return mustMark(tx, app, caller);
  });
}

async function mustMark(tx: Tx, app: App, caller: PersonCaller): Promise<string> {
  const proven_until = await markProven(tx, caller.session_id);
  if (!proven_until) throw new Failure('unauthenticated');
  await recordOfPerson(tx, app, { ...byPerson(caller), action: 'step_up.succeed' });
  return proven_until;
}

/** The person's own passkeys only. */
export async function startPasskeyStepUpOf(
  app: App,
  caller: PersonCaller,
): Promise<{ options: { challenge: string } }> {
  const { person_id, session_id } = caller;
  mustProveHere(caller);
  const { methods } = await waysOf(app, await personOf(app.db, person_id));
  if (!methods.includes('passkey')) throw new Failure('step_up_method_refused');
  return { options: await assertionOptions(app, { purpose: 'step_up', person_id, subject: session_id }) };
}

const REFUSED: Partial<Record<FailureReason, string>> = {
  invalid_passkey: 'Wrong passkey',
  passkey_suspected: SUSPECTED,
};

export async function stepUpWithPasskeyOf(
  app: App,
  caller: PersonCaller,
  { credential, client }: { credential: Assertion; client: Client },
): Promise<{ proven_until: string }> {
  const { person_id, session_id } = caller;
  mustProveHere(caller);
  const owner = { purpose: 'step_up', person_id, subject: session_id } as const;
  const proven_until = await counted(app, caller, () =>
    proveByPasskey(app, owner, credential, (tx) => mustMark(tx, app, caller)),
  ).catch((cause: unknown) => {
    const subject = cause instanceof Failure ? REFUSED[cause.reason] : undefined;
    if (subject) app.failedSignIns.count({ person_id, action: 'step_up.fail', subject, client });
    throw cause;
  });
  return { proven_until };
}

/** Completes a sign-in with a recovery code instead of the factor that was offered first. */
export async function completeWithRecoveryCode(
  app: App,
  { session_token, recovery_code, client }: { session_token: string; recovery_code: string; client: Client },
): Promise<Tokens> {
  const entry = { session_token, code: recovery_code, client, source: 'recovery_code' } as const;
  const tokens = await enterCode(app, ['sign_in'], entry, async (tx, { challenge: { person_id } }) => {
    if (person_id === null) throw new Failure('invalid_session_token');
    const left = await countRecoveryCodes(tx, person_id);
    await recordOfPerson(tx, app, {
      person_id,
      actor: 'owner',
      origin: client,
      action: 'recovery_codes.use',
      after: { left },
    });
    await notifyPerson(tx, app, person_id, { kind: 'recoveryCodeUsed', left });
    return startSession(tx, app, person_id, client);
  });
  app.wakeups.notify('notices');
  return tokens;
}

interface Sent {
  session_token: string;
  two_factor_method: 'sms' | 'email';
  sent_to: string;
}

/** Replaces the pending step with one that waits for a sent code. Throws `second_factor_unavailable`. */
export async function sendCodeInstead(
  app: App,
  { session_token, client }: { session_token: string; client: Client },
): Promise<Sent> {
  const pending = await findChallenge(app.db, hashOfToken(session_token), ['sign_in']);
  if (!pending?.person_id) throw new Failure('invalid_session_token');
  const { id, person_id } = pending;
  const { route } = await secondFactorsAsked(app, await personOf(app.db, person_id));
  if (!route) throw new Failure('second_factor_unavailable');
  const waiting = { ...route, addressee: route.recipient, letter: 'signInCode' } as const;
  const start = { purpose: 'sign_in', person_id, client, waiting } as const;
  const home = await knownHome(app.db, person_id, client);
  await reserveSending(app, { ...start, home });
  const next = await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, person_id);
    const locked = await codeEntryLock(tx, person_id, home);
    if (locked > 0) throw new Failure('code_entry_locked', { retry_after: locked });
    // Another request has completed the challenge, or its tries are exhausted.
    if (!(await consumeChallenge(tx, id))) throw new Failure('invalid_session_token');
    return startChallenge(tx, app, start);
  });
  app.wakeups.notify('notices');
  return { session_token: next, two_factor_method: route.channel, sent_to: masked(route) };
}
