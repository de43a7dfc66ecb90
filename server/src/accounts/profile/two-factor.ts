import type { TwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { byPerson, changesBetween, recordOfPerson } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type PersonCaller, requireStepUp } from '../../platform/http/serve.ts';
import { type App, personOf } from '../account.ts';
import { reserveSending, startChallenge } from '../proofs/challenges.ts';
import { enterCode } from '../proofs/code-entry.ts';
import { lockPerson, type Person, updateTwoFactor } from '../queries.ts';
import type { Client } from '../sessions/client.ts';
import { enteredPhone, needPassword, reachablePhone } from './profile.ts';
import { giveWelcomeCredits } from './welcome.ts';

interface TwoFactorBody {
  two_factor_enabled: boolean;
  two_factor_method: 'sms' | 'email';
  phone_number?: string | undefined;
  current_password?: string | undefined;
  session_token?: string | undefined;
  code?: string | undefined;
}

type TwoFactorReply = TwoFactor & { requires_code?: boolean; session_token?: string };

export const twoFactorOf = async (app: Pick<App, 'db'>, person_id: string): Promise<TwoFactor> =>
  settingsOf(await personOf(app.db, person_id));

const settingsOf = (person: Person): TwoFactor => ({
  two_factor_enabled: person.two_factor_enabled,
  two_factor_method: person.two_factor_method,
  phone_number: person.two_factor_phone || person.phone_number,
});

/**
 * Every change requires a step-up and the password, and is announced by e-mail. SMS codes go only to a proven number. For any
 * other number, nothing changes yet, and the response asks for the code that was sent to it.
 */
export async function changeTwoFactor(
  app: App,
  caller: PersonCaller,
  { body, client }: { body: TwoFactorBody; client: Client },
): Promise<TwoFactorReply> {
  const { person_id } = caller;
  const person = await personOf(app.db, person_id);
  const wanted = await wantedOf(app, person, body);
  const isSame = Object.entries(settingsOf(person)).every(
    ([name, value]) => wanted[name as keyof TwoFactor] === value,
  );
  if (isSame) return wanted;
  requireStepUp(caller);
  await needPassword(app, caller, person, { current_password: body.current_password, client });

  const byPhone = wanted.two_factor_enabled && wanted.two_factor_method === 'sms';
  if (!byPhone || isProven(person, wanted.phone_number))
    return app.db
      .transaction((tx) => apply(tx, app, person, { caller, wanted, is_proven: false }))
      .then(notify(app));
  const { session_token, code } = body;
  if (session_token === undefined && code === undefined) return askForProof(app, person, { wanted, client });
  if (session_token === undefined) throw new FieldErrors({ session_token: [REQUIRED] });
  if (code === undefined) throw new FieldErrors({ code: [REQUIRED] });
  return enterCode(app, ['phone'], { session_token, code, client }, (tx, { challenge, phone_number }) => {
    if (challenge.person_id !== person_id || phone_number !== wanted.phone_number)
      throw new Failure('invalid_session_token');
    return apply(tx, app, person, { caller, wanted, is_proven: true });
  }).then(notify(app));
}

async function wantedOf(app: App, person: Person, body: TwoFactorBody): Promise<TwoFactor> {
  const { two_factor_enabled, two_factor_method, phone_number: given = '' } = body;
  const current = settingsOf(person);
  if (two_factor_enabled && !app.carriers.has(two_factor_method)) {
    const channel = two_factor_method === 'sms' ? 'SMS' : 'Email';
    throw new FieldErrors({ two_factor_method: [`${channel} is not available on this service.`] });
  }
  const entered = given === '' ? current.phone_number : enteredPhone(app, given);
  const byPhone = two_factor_enabled && two_factor_method === 'sms';
  const phone_number = byPhone ? await reachablePhone(app.db, app, entered) : entered;
  return { two_factor_enabled, two_factor_method, phone_number };
}

const isProven = (person: Person, phone: string): boolean =>
  phone === person.two_factor_phone || (phone === person.phone_number && person.phone_verified_at !== null);

async function askForProof(
  app: App,
  person: Person,
  { wanted, client }: { wanted: TwoFactor; client: Client },
): Promise<TwoFactorReply> {
  const { phone_number } = wanted;
  const start = {
    purpose: 'phone',
    person_id: person.id,
    client,
    waiting: {
      addressee: phone_number,
      channel: 'sms',
      recipient: phone_number,
      letter: 'signInCode',
      phone_number,
    },
  } as const;
  await reserveSending(app, { ...start, home: null });
  const session_token = await app.db.transaction((tx) => startChallenge(tx, app, start));
  app.wakeups.notify('notices');
  return { ...settingsOf(person), requires_code: true, session_token };
}

async function apply(
  tx: Tx,
  app: App,
  { id: person_id }: Person,
  { caller, wanted, is_proven }: { caller: PersonCaller; wanted: TwoFactor; is_proven: boolean },
): Promise<TwoFactor> {
  const { two_factor_enabled: enabled, two_factor_method: method, phone_number } = wanted;
  const before = await lockPerson(tx, person_id);
  const two_factor_phone = enabled && method === 'sms' ? phone_number : '';
  if (two_factor_phone !== '')
    await giveWelcomeCredits(tx, app, { person_id: before.id, phone: phone_number });
  const after = await updateTwoFactor(tx, before.id, {
    enabled,
    method,
    phone_number,
    two_factor_phone,
    is_proven,
  });
  if (!after) throw new Failure('unauthenticated');
  const changes = changesBetween(settingsOf(before), settingsOf(after), [
    'two_factor_enabled',
    'two_factor_method',
    'phone_number',
  ]);
  if (changes)
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'two_factor.change', ...changes });
  if (enabled !== before.two_factor_enabled || method !== before.two_factor_method)
    await notifyPerson(tx, app, before.id, {
      kind: 'twoFactorChanged',
      enabled,
      method,
      activityUrl: pageUrl(app, '/settings/activity'),
    });
  if (phone_number !== settingsOf(before).phone_number)
    await notifyPerson(tx, app, before.id, { kind: 'phoneChanged', phoneNumber: phone_number });
  return settingsOf(after);
}

const notify =
  (app: App) =>
  <T>(result: T): T => {
    app.wakeups.notify('notices');
    return result;
  };
