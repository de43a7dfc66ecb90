import { deleteMe, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { startPasskeyStep } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  confirmAuthenticator,
  createRecoveryCodes,
  getSecondFactors,
  removeAuthenticator,
  sendSignInCode,
  startAuthenticator,
  verifyRecoveryCode,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { getStepUp, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { expect, test } from 'vitest';
import { authenticatorApp, withAuthenticator } from '../../../test/authenticator.ts';
import { fixture } from '../../../test/fixture.ts';
import { codeFor, type Person, person, twoFactorPerson, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);

const subjectsTo = async (recipient: string) => {
  await service.drain();
  return (await service.inbox(recipient)).map(({ subject }) => subject);
};
const begin = async (alice: Person) => (await service.call(signIn, { body: alice })).body;
const tokenOf = async (alice: Person) => (await begin(alice)).session_token ?? '';
const enter = (session_token: string, code: string) =>
  service.call(verifyTwoFactor, { body: { session_token, code } });
const recover = (session_token: string, recovery_code: string) =>
  service.call(verifyRecoveryCode, { body: { session_token, recovery_code } });

test('an authenticator app takes effect only after its first code is entered', async () => {
  const alice = await person(service, 'Enrols');
  const bearer = alice.access;
  const none = { authenticator: null, recovery_codes_left: 0 };
  expect((await service.call(getSecondFactors, { bearer })).body).toMatchObject(none);
  const first = await service.call(startAuthenticator, { bearer });
  const { secret, uri } = (await service.call(startAuthenticator, { bearer })).body;
  expect(secret).not.toBe(first.body.secret);
  expect(uri).toContain(`secret=${secret}`);
  expect((await begin(alice)).requires_2fa).toBe(false);

  const now = () => service.app.clock.now().getTime();
  const code = authenticatorApp(secret, now).code();
  const wrong = await service.call(confirmAuthenticator, { bearer, body: { code: wrongCode(code) } });
  expect(wrong.body.reason).toBe('invalid_verification_code');
  const confirmed = await service.call(confirmAuthenticator, { bearer, body: { code } });
  expect(confirmed.status).toBe(200);
  expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
  expect((await service.call(getSecondFactors, { bearer })).body).toMatchObject({
    authenticator: { created_at: expect.any(String) },
    recovery_codes_left: 10,
  });
  expect(await subjectsTo(alice.email)).toContainEqual(expect.stringContaining('new authenticator app'));
  expect(await begin(alice)).toMatchObject({
    requires_2fa: true,
    two_factor_method: 'authenticator',
    two_factor_methods: ['authenticator', 'recovery_code'],
  });
  expect((await service.call(startAuthenticator, { bearer })).body.reason).toBe('authenticator_exists');
  const stored = JSON.stringify(await service.app.db.rows('select * from authenticators'));
  expect(stored).not.toContain(secret);
});

test('the enrolment of an authenticator app expires after thirty minutes', async () => {
  const alice = await person(service, 'Late');
  const bearer = alice.access;
  const { secret } = (await service.call(startAuthenticator, { bearer })).body;
  await service.app.db.run(
    `update authenticators set created_at = created_at - interval '30 minutes' where confirmed_at is null`,
  );
  const code = authenticatorApp(secret, () => service.app.clock.now().getTime()).code();
  expect((await service.call(confirmAuthenticator, { bearer, body: { code } })).body.reason).toBe(
    'invalid_verification_code',
  );
  await service.drain({ keepHouse: true });
  const left = await service.app.db.rows('select from authenticators where confirmed_at is null');
  expect(left).toEqual([]);
});

test('an authenticator app signs in after the password, and no mail is sent', async () => {
  const alice = await person(service, 'Uses');
  const app = await withAuthenticator(service, alice);
  const session_token = await tokenOf(alice);
  const before = (await subjectsTo(alice.email)).length;
  expect(await enter(session_token, wrongCode(app.code(1)))).toMatchObject({
    status: 400,
    body: { reason: 'invalid_verification_code', attempts_remaining: 4 },
  });
  const signed = await enter(session_token, app.code(1));
  expect(signed.status).toBe(200);
  expect((await service.call(getSecondFactors, { bearer: signed.body.access })).status).toBe(200);
  expect((await enter(session_token, app.code(1))).body.reason).toBe('invalid_session_token');
  expect(await subjectsTo(alice.email)).toHaveLength(before);
});

test('an authenticator code signs in at most once, even under 20 parallel requests', async () => {
  const alice = await person(service, 'Once');
  const app = await withAuthenticator(service, alice);
  const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf(alice)));
  const answers = await Promise.all(tokens.map((token) => enter(token, app.code(1))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('the authenticator code that confirmed the enrolment does not sign in', async () => {
  const alice = await person(service, 'Reused');
  const { used } = await withAuthenticator(service, alice);
  expect((await enter(await tokenOf(alice), used)).body.reason).toBe('invalid_verification_code');
});

test('ten wrong authenticator codes lock code entry across all sign-ins', async () => {
  const alice = await person(service, 'Guessed');
  const app = await withAuthenticator(service, alice);
  const wrong = wrongCode(app.code(1));
  for (let n = 0; n < 2; n += 1) {
    const session_token = await tokenOf(alice);
    for (let tries = 0; tries < 5; tries += 1) await enter(session_token, wrong);
  }
  expect(await enter(await tokenOf(alice), app.code(1))).toMatchObject({
    status: 429,
    body: { reason: 'code_entry_locked' },
  });
});

test.each(['a sign-in', 'a step-up'])(
  'the right authenticator code of %s ends the count of wrong ones',
  async (of) => {
    const alice = await person(service, 'Forgives');
    const app = await withAuthenticator(service, alice);
    const wrong = wrongCode(app.code(1));
    const tokens: string[] = [];
    for (let n = 0; n < 4; n += 1) tokens.push(await tokenOf(alice));
    const [one = '', two = '', three = '', last = ''] = tokens;
    for (let n = 0; n < 5; n += 1) await enter(one, wrong);
    for (let n = 0; n < 4; n += 1) await enter(two, wrong);
    const body = { code: app.code(1) };
    const right =
      of === 'a sign-in' ? enter(two, body.code) : service.call(stepUp, { bearer: alice.access, body });
    expect((await right).status).toBe(200);
    for (let n = 0; n < 5; n += 1) await enter(three, wrong);
    expect((await enter(last, wrong)).body.reason).toBe('invalid_verification_code');
  },
);

test('an authenticator app can be replaced by a code by e-mail only if the account allows it', async () => {
  const bob = await person(service, 'Bob');
  await withAuthenticator(service, bob);
  const refused = await service.call(sendSignInCode, { body: { session_token: await tokenOf(bob) } });
  const withoutPasskey = await service.call(startPasskeyStep, {
    body: { session_token: await tokenOf(bob) },
  });
  for (const { body } of [refused, withoutPasskey]) expect(body.reason).toBe('second_factor_unavailable');

  const alice = await twoFactorPerson(service, 'Both');
  const app = await withAuthenticator(service, alice);
  const begun = await begin(alice);
  expect(begun.two_factor_methods).toEqual(['authenticator', 'email', 'recovery_code']);
  const session_token = begun.session_token ?? '';
  const sent = await service.call(sendSignInCode, { body: { session_token } });
  expect(sent.body).toMatchObject({ two_factor_method: 'email', sent_to: 'b•••@people.test' });
  const code = await codeFor(service, alice.email);
  expect((await enter(session_token, code)).body.reason).toBe('invalid_session_token');
  const byApp = { session_token: sent.body.session_token, code: app.code(1), method: 'authenticator' };
  expect((await enter(sent.body.session_token, app.code(1))).body.reason).toBe('invalid_verification_code');
  expect((await enter(sent.body.session_token, code)).status).toBe(200);
  expect((await service.call(verifyTwoFactor, { body: byApp })).body.reason).toBe('invalid_session_token');
});

test('an authenticator app is required even if the account has switched codes by e-mail off', async () => {
  const alice = await twoFactorPerson(service, 'Off');
  const app = await withAuthenticator(service, alice);
  const body = { two_factor_enabled: false, two_factor_method: 'email', current_password: alice.password };
  expect((await service.call(updateTwoFactor, { bearer: alice.access, body })).status).toBe(200);
  expect((await begin(alice)).two_factor_methods).toEqual(['authenticator', 'recovery_code']);
  expect((await enter(await tokenOf(alice), app.code(1))).status).toBe(200);
});

test('with an authenticator app, the app proves a step-up and the password does not', async () => {
  const alice = await person(service, 'Steps');
  const app = await withAuthenticator(service, alice);
  const bearer = alice.access;
  await service.app.db.run('update sessions set proven_at = null');
  expect((await service.call(getStepUp, { bearer })).body.methods).toEqual(['authenticator']);
  expect((await service.call(removeAuthenticator, { bearer })).body).toMatchObject({
    reason: 'step_up_required',
  });
  const byPassword = await service.call(stepUp, { bearer, body: { password: alice.password } });
  expect(byPassword.body.reason).toBe('step_up_method_refused');
  const wrong = await service.call(stepUp, { bearer, body: { code: wrongCode(app.code(1)) } });
  expect(wrong.body.reason).toBe('invalid_verification_code');
  const failed = await service.call(listAuditEntries, { bearer, query: { search: 'fail' } });
  expect(failed.body.results).toMatchObject([{ action: 'step_up.fail', subject: 'Wrong code', count: 1 }]);
  expect((await service.call(stepUp, { bearer, body: { code: app.code(1) } })).status).toBe(200);
  expect((await service.call(createApiKey, { bearer, body: { name: 'Key' } })).status).toBe(201);
});

test('removing an authenticator app removes the recovery codes and sends a notice', async () => {
  const alice = await person(service, 'Removes');
  await withAuthenticator(service, alice);
  const bearer = alice.access;
  expect((await service.call(removeAuthenticator, { bearer })).status).toBe(204);
  expect((await service.call(removeAuthenticator, { bearer })).status).toBe(404);
  expect((await service.call(createRecoveryCodes, { bearer })).body.reason).toBe('no_second_factor');
  expect((await service.call(getSecondFactors, { bearer })).body.recovery_codes_left).toBe(0);
  expect(await subjectsTo(alice.email)).toContainEqual(expect.stringContaining('was removed'));
  expect((await begin(alice)).requires_2fa).toBe(false);
});

test('a recovery code replaces the second factor once, in any spelling, and sends a notice', async () => {
  const alice = await person(service, 'Recovers');
  const { recovery_codes } = await withAuthenticator(service, alice);
  const [first = '', second = ''] = recovery_codes;
  expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const spoken = first.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
  const signed = await recover(await tokenOf(alice), spoken);
  expect(signed.status).toBe(200);
  expect(await recover(await tokenOf(alice), first)).toMatchObject({
    status: 400,
    body: { reason: 'invalid_recovery_code', attempts_remaining: 4 },
  });
  const { body } = await service.call(getSecondFactors, { bearer: signed.body.access });
  expect(body.recovery_codes_left).toBe(9);
  expect(await subjectsTo(alice.email)).toContain('A recovery code was used');
  expect((await recover(await tokenOf(alice), second)).status).toBe(200);
});

test('a recovery code signs in at most once, even under 20 parallel requests', async () => {
  const alice = await person(service, 'Races');
  const { recovery_codes } = await withAuthenticator(service, alice);
  const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf(alice)));
  const answers = await Promise.all(tokens.map((token) => recover(token, recovery_codes[3] ?? '')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a recovery code of another account is refused, and no recovery code is stored in plain text', async () => {
  const [alice, mallory] = [await person(service, 'Alice'), await person(service, 'Mallory')];
  const hers = await withAuthenticator(service, alice);
  await withAuthenticator(service, mallory);
  const stolen = await recover(await tokenOf(mallory), hers.recovery_codes[0] ?? '');
  expect(stolen.body.reason).toBe('invalid_recovery_code');
  const stored = await service.app.db.rows<{ hash: Buffer }>('select hash from recovery_codes');
  expect(stored.every(({ hash }) => hash.length === 32)).toBe(true);
});

test('a recovery code completes no sign-up, reset or e-mail step of an account without recovery codes', async () => {
  const alice = await twoFactorPerson(service, 'None');
  expect((await recover(await tokenOf(alice), '0000-0000-0000-0000')).body.reason).toBe(
    'invalid_recovery_code',
  );
});

test('a recovery code stops working when new ones are created', async () => {
  const alice = await person(service, 'Renews');
  const { recovery_codes } = await withAuthenticator(service, alice);
  const renewed = await service.call(createRecoveryCodes, { bearer: alice.access });
  expect(renewed.status).toBe(201);
  expect((await recover(await tokenOf(alice), recovery_codes[0] ?? '')).status).toBe(400);
  const [fresh = ''] = renewed.body.recovery_codes;
  expect((await recover(await tokenOf(alice), fresh)).status).toBe(200);
});

test('deleting an account erases its second factors', async () => {
  const alice = await person(service, 'Leaves');
  await withAuthenticator(service, alice);
  const { id } = await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [
    alice.email,
  ]);
  const body = { password: alice.password };
  expect((await service.call(deleteMe, { bearer: alice.access, body })).status).toBe(204);
  for (const table of ['authenticators', 'recovery_codes'])
    expect(await service.app.db.rows(`select from ${table} where account_id = $1`, [id])).toEqual([]);
});
