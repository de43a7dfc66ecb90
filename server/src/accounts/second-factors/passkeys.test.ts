import { deleteMe, getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { changePassword } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  addPasskey,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
  startPasskeyStep,
  startPasskeyStepUp,
  stepUpWithPasskey,
  verifyPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  getSecondFactors,
  sendSignInCode,
  verifyRecoveryCode,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { getStepUp, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { codeFor, type Person, person, twoFactorPerson } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { softwarePasskey } from '../../../test/software-passkey.ts';

const ORIGIN = 'http://sixdigit.test';

const service = fixture(() => testService({ env: { PUBLIC_URL: ORIGIN } }));

type Passkey = ReturnType<typeof softwarePasskey>;

async function withPasskey(
  { access: bearer }: Pick<Person, 'access'>,
  { name = 'Laptop', counts = false, isSynced = false } = {},
) {
  const passkey = softwarePasskey(ORIGIN, { counts, isSynced });
  const { options } = (await service.call(startPasskey, { bearer })).body;
  const added = await service.call(addPasskey, {
    bearer,
    body: { name, credential: passkey.create(options) },
  });
  expect(added.status).toBe(201);
  return { passkey, ...added.body };
}

const alone = async () => (await service.call(startPasskeySignIn)).body.options;
const signInBy = (credential: ReturnType<Passkey['get']>) =>
  service.call(signInWithPasskey, { body: { credential } });
const tokenOf = async (alice: Person) =>
  (await service.call(signIn, { body: alice })).body.session_token ?? '';
const stepOf = async (session_token: string) =>
  (await service.call(startPasskeyStep, { body: { session_token } })).body.options;

test('adding a passkey requires a discoverable credential with user verification, and creates the recovery codes', async () => {
  const alice = await person(service, 'Adds');
  const bearer = alice.access;
  const { options } = (await service.call(startPasskey, { bearer })).body;
  expect(options).toMatchObject({
    rp: { id: 'sixdigit.test', name: 'Sixdigit' },
    user: { name: alice.email },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const added = await withPasskey(alice, { name: '  Work laptop ' });
  expect(added).toMatchObject({ name: 'Work laptop', is_synced: false, last_used_at: null });
  expect(added.recovery_codes).toHaveLength(10);
  expect((await withPasskey(alice, { name: 'Phone' })).recovery_codes).toBeNull();
  const { body } = await service.call(getSecondFactors, { bearer });
  expect(body.passkeys.map(({ name }) => name)).toEqual(['Work laptop', 'Phone']);
  const listed = (await service.call(startPasskey, { bearer })).body.options.excludeCredentials;
  expect(listed).toHaveLength(2);
  await service.drain();
  expect((await service.inbox(alice.email)).map(({ subject }) => subject)).toContainEqual(
    expect.stringContaining('new passkey'),
  );
});

test.each([
  ['of another origin', { origin: 'https://evil.test' }],
  ['of another relying party', { rpId: 'evil.test' }],
  ['with another challenge', { challenge: 'AAAA' }],
  ['of another kind', { type: 'webauthn.get' }],
  ['without a verified user', { isUserVerified: false }],
])('adding a passkey refuses a credential %s and uses up the challenge', async (_, dishonest) => {
  const alice = await person(service, 'Forged');
  const bearer = alice.access;
  const { options } = (await service.call(startPasskey, { bearer })).body;
  const passkey = softwarePasskey(ORIGIN);
  const add = (credential: object) => service.call(addPasskey, { bearer, body: { name: 'Key', credential } });
  expect((await add(passkey.create(options, dishonest))).body.reason).toBe('invalid_passkey');
  const used = !('challenge' in dishonest);
  expect((await add(passkey.create(options))).status).toBe(used ? 400 : 201);
});

test('a challenge adds one passkey, in the session that requested it, within five minutes', async () => {
  const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
  const bearer = alice.access;
  const body = async (passkey: Passkey, options: { challenge: string }) => ({
    name: 'Key',
    credential: passkey.create(options),
  });
  const { options } = (await service.call(startPasskey, { bearer })).body;
  const [one, two] = [softwarePasskey(ORIGIN), softwarePasskey(ORIGIN)];
  const stolen = await service.call(addPasskey, { bearer: bob.access, body: await body(one, options) });
  expect(stolen.body.reason).toBe('invalid_passkey');
  const answers = await Promise.all(
    [one, two, one, two].map(async (passkey) =>
      service.call(addPasskey, { bearer, body: await body(passkey, options) }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);

  const late = (await service.call(startPasskey, { bearer })).body.options;
  await service.app.db.run(`update passkey_challenges set expires_at = expires_at - interval '5 minutes'`);
  expect((await service.call(addPasskey, { bearer, body: await body(two, late) })).status).toBe(400);
  await service.drain({ keepHouse: true });
  expect(await service.app.db.rows('select from passkey_challenges')).toEqual([]);
});

test('adding a passkey refuses a credential that another account has registered', async () => {
  const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
  const { passkey } = await withPasskey(alice);
  const { options } = (await service.call(startPasskey, { bearer: bob.access })).body;
  const body = { name: 'Mine', credential: passkey.create(options) };
  expect((await service.call(addPasskey, { bearer: bob.access, body })).body.reason).toBe('invalid_passkey');
});

test('a passkey can be renamed, and adding or removing it requires a step-up', async () => {
  const alice = await person(service, 'Manages');
  const bearer = alice.access;
  const { id } = await withPasskey(alice);
  const params = { id };
  expect((await service.call(renamePasskey, { bearer, params, body: { name: 'Desk' } })).body).toMatchObject({
    id,
    name: 'Desk',
  });
  const { results } = (await service.call(listAuditEntries, { bearer, query: {} })).body;
  expect(results[0]).toMatchObject({
    action: 'passkey.change',
    before: { name: expect.not.stringMatching('Desk') },
    after: { name: 'Desk' },
  });
  await service.app.db.run('update sessions set proven_at = null');
  for (const route of [startPasskey, addPasskey, removePasskey])
    expect((await service.call(route, { bearer, params, body: {} })).body).toMatchObject({
      reason: 'step_up_required',
    });
  await service.app.db.run('update sessions set proven_at = clock_now()');
  expect((await service.call(removePasskey, { bearer, params })).status).toBe(204);
  expect((await service.call(removePasskey, { bearer, params })).status).toBe(404);
  expect((await service.call(getSecondFactors, { bearer })).body).toEqual({
    passkeys: [],
    authenticator: null,
    recovery_codes_left: 0,
  });
  expect((await service.call(signIn, { body: alice })).body.requires_2fa).toBe(false);
});

test('a passkey alone signs in without an address or a code, even with two-factor, and proves identity', async () => {
  const alice = await twoFactorPerson(service, 'Alone');
  const { passkey } = await withPasskey(alice);
  const options = await alone();
  expect(options).toMatchObject({ rpId: 'sixdigit.test', userVerification: 'required' });
  expect(options).not.toHaveProperty('allowCredentials');
  const signed = await signInBy(passkey.get(options));
  expect(signed.status).toBe(200);
  const bearer = signed.body.access;
  expect((await service.call(getMe, { bearer })).body.email).toBe(alice.email);
  expect((await service.call(createApiKey, { bearer, body: { name: 'Key' } })).status).toBe(201);
  const { passkeys } = (await service.call(getSecondFactors, { bearer })).body;
  expect(passkeys[0]?.last_used_at).not.toBeNull();
});

test.each([
  ['of another origin', { origin: 'https://evil.test' }],
  ['of another relying party', { rpId: 'evil.test' }],
  ['of another kind', { type: 'webauthn.create' }],
  ['without a verified user', { isUserVerified: false }],
  ['that names no user', { userHandle: '' }],
  ['that names another user', { userHandle: 'AAAA' }],
])('signing in refuses a passkey %s and uses up the challenge', async (_, dishonest) => {
  const { passkey } = await withPasskey(await person(service, 'Forged'));
  const options = await alone();
  expect((await signInBy(passkey.get(options, dishonest))).body.reason).toBe('invalid_passkey');
  expect((await signInBy(passkey.get(options))).status).toBe(400);
  expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
});

test('signing in with an unknown passkey gets the same response as with a wrong one', async () => {
  const { passkey } = await withPasskey(await person(service, 'Known'));
  const stranger = softwarePasskey(ORIGIN, { userHandle: passkey.userHandle });
  const unknown = await signInBy(stranger.get(await alone()));
  const forged = { ...stranger.get(await alone()), id: passkey.id, rawId: passkey.id };
  const wrong = await signInBy(forged);
  expect({ status: unknown.status, body: unknown.body }).toEqual({
    status: wrong.status,
    body: wrong.body,
  });
});

test('a passkey assertion signs in once, even under 20 parallel requests', async () => {
  const { passkey } = await withPasskey(await person(service, 'Races'));
  const credential = passkey.get(await alone());
  const answers = await Promise.all(Array.from({ length: 20 }, () => signInBy(credential)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test.each([
  ['stands still', 1],
  ['goes back', 0],
])('signing in is refused if the counter of a device-bound passkey %s', async (_, last) => {
  const alice = await person(service, 'Counts');
  const { passkey } = await withPasskey(alice, { counts: true });
  for (let n = 0; n < 2; n += 1) expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
  passkey.counter = last;
  expect((await signInBy(passkey.get(await alone(), { isSynced: true }))).body.reason).toBe(
    'passkey_suspected',
  );
  expect(service.logLines.some((line) => line.includes('counter of a passkey did not grow'))).toBe(true);
  passkey.counter = 2;
  expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
});

test.each([
  ['stands still', [5, 5, 5]],
  ['goes back', [9, 3, 8, 1]],
  ['starts', [0, 1, 0]],
])('signing in accepts a synced passkey whose counter %s', async (_, counters) => {
  const { passkey } = await withPasskey(await person(service, 'Synced'), { isSynced: true });
  for (const counter of counters) {
    passkey.counter = counter;
    expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
  }
});

test('a passkey that becomes syncable in a use whose counter grew may count separately from then on', async () => {
  const { passkey } = await withPasskey(await person(service, 'Becomes'), { counts: true });
  expect((await signInBy(passkey.get(await alone(), { isSynced: true }))).status).toBe(200);
  passkey.counter = 0;
  expect((await signInBy(passkey.get(await alone(), { isSynced: true }))).status).toBe(200);
});

test('signing in with a passkey alone stops when the passkey or the account is deleted', async () => {
  const alice = await person(service, 'Leaves');
  const { passkey } = await withPasskey(alice);
  const body = { password: alice.password };
  expect((await service.call(deleteMe, { bearer: alice.access, body })).status).toBe(204);
  expect((await signInBy(passkey.get(await alone()))).body.reason).toBe('invalid_passkey');
  expect(
    await service.app.db.rows('select from passkeys where credential_id = $1', [
      Buffer.from(passkey.id, 'base64url'),
    ]),
  ).toEqual([]);
});

test('with a passkey as the second factor, the password alone gives no access', async () => {
  const alice = await person(service, 'Second');
  const { passkey, recovery_codes } = await withPasskey(alice);
  const { body } = await service.call(signIn, { body: alice });
  expect(body).toMatchObject({
    requires_2fa: true,
    two_factor_method: 'passkey',
    two_factor_methods: ['passkey', 'recovery_code'],
  });
  expect(body).not.toHaveProperty('access');
  const session_token = body.session_token ?? '';
  const refused = await service.call(sendSignInCode, { body: { session_token } });
  expect(refused.body.reason).toBe('second_factor_unavailable');
  for (const code of ['000000', '123456'])
    expect((await service.call(verifyTwoFactor, { body: { session_token, code } })).status).toBe(400);
  const options = await stepOf(session_token);
  expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);
  const credential = passkey.get(options);
  expect((await service.call(verifyPasskey, { body: { session_token, credential } })).status).toBe(200);
  expect((await service.call(verifyPasskey, { body: { session_token, credential } })).body).toMatchObject({
    reason: 'invalid_session_token',
  });
  const [recovery_code = ''] = recovery_codes ?? [];
  const recovered = await service.call(verifyRecoveryCode, {
    body: { session_token: await tokenOf(alice), recovery_code },
  });
  expect(recovered.status).toBe(200);
});

test('a passkey of another account, or for another sign-in, is refused as the second factor', async () => {
  const [alice, mallory] = [await person(service, 'Alice'), await person(service, 'Mallory')];
  await withPasskey(alice);
  const { passkey: theirs } = await withPasskey(mallory);
  const session_token = await tokenOf(alice);
  const options = await stepOf(session_token);
  const byOther = await service.call(verifyPasskey, {
    body: { session_token, credential: theirs.get(options) },
  });
  expect(byOther.body.reason).toBe('invalid_passkey');

  const [first, second] = [await tokenOf(mallory), await tokenOf(mallory)];
  const credential = theirs.get(await stepOf(first));
  const elsewhere = await service.call(verifyPasskey, { body: { session_token: second, credential } });
  expect(elsewhere.body.reason).toBe('invalid_passkey');
  expect((await signInBy(theirs.get(await stepOf(first)))).body.reason).toBe('invalid_passkey');
});

test('if the counter of a passkey stands still, the owner can use a code by mail and gets one notice a day', async () => {
  const alice = await person(service, 'Broken');
  const { passkey } = await withPasskey(alice);
  passkey.counter = 7;
  expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
  const warnings = async () => {
    await service.drain();
    return (await service.inbox(alice.email)).filter(({ subject }) => subject?.includes('been copied'));
  };
  const session_token = await tokenOf(alice);
  expect((await service.call(sendSignInCode, { body: { session_token } })).status).toBe(400);
  for (let n = 0; n < 2; n += 1) {
    const credential = passkey.get(await stepOf(session_token));
    expect((await service.call(verifyPasskey, { body: { session_token, credential } })).body.reason).toBe(
      'passkey_suspected',
    );
  }
  expect(await warnings()).toHaveLength(1);
  const offered = (await service.call(signIn, { body: alice })).body;
  expect(offered.two_factor_methods).toEqual(['passkey', 'email', 'recovery_code']);
  expect(offered).not.toHaveProperty('access');
  // Nobody else can ask for a code in place of their passkey.
  const bob = await person(service, 'Bob');
  await withPasskey(bob);
  const refused = await service.call(sendSignInCode, { body: { session_token: await tokenOf(bob) } });
  expect(refused.body.reason).toBe('second_factor_unavailable');
  const sent = (await service.call(sendSignInCode, { body: { session_token } })).body;
  const code = await codeFor(service, alice.email);
  const signed = await service.call(verifyTwoFactor, {
    body: { session_token: sent.session_token, code },
  });
  expect(signed.status).toBe(200);
  const bearer = signed.body.access;
  expect((await service.call(getStepUp, { bearer })).body.methods).toEqual(['passkey', 'email']);
  const { results } = (await service.call(listAuditEntries, { bearer, query: { search: 'copied' } })).body;
  expect(results).toMatchObject([{ action: 'sign_in.fail', count: 2 }]);

  await service.app.db.run(`update passkeys set suspected_at = suspected_at - interval '1 day'`);
  expect((await service.call(sendSignInCode, { body: { session_token: await tokenOf(alice) } })).status).toBe(
    400,
  );
  expect((await signInBy(passkey.get(await alone()))).body.reason).toBe('passkey_suspected');
  expect(await warnings()).toHaveLength(2);
  passkey.counter = 8;
  expect((await signInBy(passkey.get(await alone()))).status).toBe(200);
  expect((await service.call(sendSignInCode, { body: { session_token: await tokenOf(alice) } })).status).toBe(
    400,
  );
});

test('a passkey as the second factor does not complete a sign-in after the password has changed', async () => {
  const alice = await person(service, 'Changed');
  const { passkey } = await withPasskey(alice);
  const session_token = await tokenOf(alice);
  const credential = passkey.get(await stepOf(session_token));
  const fresh = 'a password that is new 8';
  const change = { current_password: alice.password, password: fresh, confirm_password: fresh };
  expect((await service.call(changePassword, { bearer: alice.access, body: change })).status).toBe(204);
  const late = await service.call(verifyPasskey, { body: { session_token, credential } });
  expect(late.body.reason).toBe('invalid_session_token');
});

test('with a passkey, the passkey proves a step-up and the password does not', async () => {
  const alice = await person(service, 'Steps');
  const { passkey } = await withPasskey(alice);
  const bearer = alice.access;
  await service.app.db.run('update sessions set proven_at = null');
  expect((await service.call(getStepUp, { bearer })).body.methods).toEqual(['passkey']);
  const byPassword = await service.call(stepUp, { bearer, body: { password: alice.password } });
  expect(byPassword.body.reason).toBe('step_up_method_refused');
  const { options } = (await service.call(startPasskeyStepUp, { bearer })).body;
  const forged = passkey.get(options, { origin: 'https://evil.test' });
  const refused = await service.call(stepUpWithPasskey, { bearer, body: { credential: forged } });
  expect(refused.body.reason).toBe('invalid_passkey');
  const failed = await service.call(listAuditEntries, { bearer, query: { search: 'step_up.fail' } });
  expect(failed.body.results).toMatchObject([{ actor: 'unknown', subject: 'Wrong passkey', count: 1 }]);
  const again = (await service.call(startPasskeyStepUp, { bearer })).body.options;
  // A passkey need not name the user whose passkeys were asked for.
  const credential = passkey.get(again, { userHandle: '' });
  expect((await service.call(stepUpWithPasskey, { bearer, body: { credential } })).status).toBe(200);
  expect((await service.call(createApiKey, { bearer, body: { name: 'Key' } })).status).toBe(201);
});
