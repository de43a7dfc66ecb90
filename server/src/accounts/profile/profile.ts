import type { Profile, ProfileBody, User } from '@sixdigit/contract/accounts/accounts.ts';
import { PHONE_MESSAGE, REQUIRED } from '@sixdigit/contract/field.ts';
import type { z } from 'zod';
import { byPerson, changesBetween, recordOfPerson } from '../../audit/audit.ts';
import { balanceWithThreshold } from '../../credits/credits.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import { hasOptedOut } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone, phoneProblem, possiblePhone } from '../../platform/addresses/phone.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import {
  type PersonCaller,
  requireOwnProof,
  requireStepUp,
  type UserCaller,
} from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { type App, personOf } from '../account.ts';
import { provePassword } from '../passwords/password-check.ts';
import { provesByPassword } from '../proofs/step-up.ts';
import { findStanding, lockPerson, type Person, updateProfile } from '../queries.ts';
import type { Client } from '../sessions/client.ts';

export async function me(
  app: Pick<App, 'db' | 'fromOperators'>,
  { person_id, account_id, role, sso_account_id }: Pick<UserCaller, MeFields>,
): Promise<User> {
  const [person, standing, balance, { operator_role, ...operators }] = await Promise.all([
    personOf(app.db, person_id),
    findStanding(app.db, account_id),
    balanceWithThreshold(app.db, account_id),
    app.fromOperators(person_id),
  ]);
  if (!standing) throw new Failure('not_found');
  // An SSO session does not open the console.
  const console = operator_role && sso_account_id === null ? { operator_role } : {};
  const session = sso_account_id === null ? {} : { is_sso_session: true };
  return { ...person, account_id, role, ...standing, ...balance, ...operators, ...console, ...session };
}

type MeFields = 'person_id' | 'account_id' | 'role' | 'sso_account_id';

export const profileOf = async (app: Pick<App, 'db'>, person_id: string): Promise<Profile> =>
  personOf(app.db, person_id);

/**
 * Omitted fields stay unchanged. A new phone number requires the password and a proof of identity, and is announced by e-mail. SMS
 * codes go to the old number until the new one is proven in the two-factor settings.
 */
export async function changeProfile(
  app: App,
  caller: PersonCaller,
  { change, client }: { change: z.output<typeof ProfileBody>; client: Client },
): Promise<Profile> {
  const { person_id } = caller;
  const person = await personOf(app.db, person_id);
  const entered = change.phone_number === undefined ? undefined : enteredPhone(app, change.phone_number);
  const isNewPhone = entered !== undefined && entered !== person.phone_number;
  if (isNewPhone) requireOwnProof(caller);
  if (isNewPhone)
    await proveByCurrentPassword(app, caller, person, { current_password: change.current_password, client });
  const updated = await app.db.transaction(async (tx) => {
    const before = await lockPerson(tx, person_id);
    const phone_number = isNewPhone ? entered : before.phone_number;
    const { first_name = before.first_name, last_name = before.last_name } = change;
    const { time_zone = before.time_zone } = change;
    const row = await updateProfile(tx, person_id, { first_name, last_name, phone_number, time_zone });
    if (isNewPhone)
      await notifyPerson(tx, app, person_id, { kind: 'phoneChanged', phoneNumber: phone_number });
    const names = changesBetween(before, row, ['first_name', 'last_name']);
    if (names) await recordOfPerson(tx, app, { ...byPerson(caller), action: 'profile.change', ...names });
    const phone = changesBetween(before, row, ['phone_number']);
    if (phone) await recordOfPerson(tx, app, { ...byPerson(caller), action: 'phone.change', ...phone });
    return row;
  });
  if (isNewPhone) app.wakeups.notify('notices');
  return updated;
}

/** Converts an entered number to E.164. Throws a field error. */
export function enteredPhone({ config }: Needs<'config'>, text: string): string {
  return possiblePhone(text, config) ?? refuse(PHONE_MESSAGE);
}

/** Converts an entered number that can receive codes to E.164. Throws a field error. */
export async function reachablePhone(
  sql: Sql,
  app: Needs<'config' | 'vault'>,
  text: string,
): Promise<string> {
  const phone = normalisePhone(text, app.config);
  if (!phone) return refuse(PHONE_MESSAGE);
  const problem = phoneProblem(phone, app.config);
  if (problem) return refuse(problem);
  if (await hasOptedOut(sql, app, phone.e164))
    return refuse('This number answered STOP to our messages. Text START to our number, or choose another.');
  return phone.e164;
}

const refuse = (message: string): never => {
  throw new FieldErrors({ phone_number: [message] });
};

interface Given {
  current_password: string | undefined;
  client: Client;
}

/** Checks the current password before a change. Throws a field error if it is missing or wrong. */
export async function needPassword(
  app: App,
  caller: PersonCaller,
  person: Person,
  { current_password, client }: Given,
): Promise<void> {
  if (!current_password) throw new FieldErrors({ current_password: [REQUIRED] });
  await provePassword(app, caller, person, {
    field: 'current_password',
    password: current_password,
    client,
  });
}

/**
 * Requires a proof of identity in addition to `needPassword`. For a person without a second factor, the password is the
 * proof. Any other person must use theirs first, so that a session without a proof cannot guess the password here.
 */
export async function proveByCurrentPassword(
  app: App,
  caller: PersonCaller,
  person: Person,
  given: Given,
): Promise<void> {
  if (!(await provesByPassword(app, person))) requireStepUp(caller);
  await needPassword(app, caller, person, given);
}
