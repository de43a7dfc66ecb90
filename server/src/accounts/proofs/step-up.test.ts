import { getMe, getTwoFactor, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import { allowDestination, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { startPasskeyStepUp } from '@sixdigit/contract/second-factors/passkeys.ts';
import { getStepUp, sendStepUpCode, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { createWebhook, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import {
  anotherSession,
  codeFor,
  type Person,
  person,
  twoFactorPerson,
  wrongCode,
} from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const service = fixture(testService);

const MINUTE = 60_000;
const FIELDS = { name: 'Hook', url: 'https://example.com/' };

/** The person's session after its proof has expired. Access tokens last ten minutes, so the session needs a new one. */
async function lapsed(someone: Person): Promise<Person> {
  await service.app.db.run(
    `update sessions set proven_at = clock_now() - interval '15 minutes'
     where account_id = (select id from accounts where email = $1)`,
    [someone.email],
  );
  return someone;
}

const createKey = ({ access }: Pick<Person, 'access'>) =>
  service.call(createApiKey, { bearer: access, body: { name: 'Key' } });

test('a sign-in counts as a proof of identity for fifteen minutes', async () => {
  const alice = await person(service, 'Fresh');
  expect((await createKey(alice)).status).toBe(201);
  const { body } = await service.call(getStepUp, { bearer: alice.access });
  const leftMs = Date.parse(body.proven_until ?? '') - service.app.clock.now().getTime();
  expect(Math.round(leftMs / MINUTE)).toBe(15);
  await lapsed(alice);
  expect(await createKey(alice)).toMatchObject({ status: 400, body: { reason: 'step_up_required' } });
  expect(
    (await createKey(await anotherSession(service, alice).then((s) => ({ ...alice, ...s })))).status,
  ).toBe(201);
});

test('the password renews the proof of identity of the current session only', async () => {
  const alice = await person(service, 'Again');
  const other = await anotherSession(service, alice);
  await lapsed(alice);
  const wrong = await service.call(stepUp, { bearer: alice.access, body: { password: 'not this one' } });
  expect(wrong).toMatchObject({ status: 400, body: { password: ['The password is not correct.'] } });
  expect((await createKey(alice)).body.reason).toBe('step_up_required');
  const right = await service.call(stepUp, { bearer: alice.access, body: { password: alice.password } });
  expect(right.status).toBe(200);
  expect((await createKey(alice)).status).toBe(201);
  expect((await createKey(other)).body.reason).toBe('step_up_required');
});

test('a proof of identity requires the second factor if the account has one', async () => {
  const alice = await lapsed(await twoFactorPerson(service, 'Second'));
  const bearer = alice.access;
  expect((await service.call(getStepUp, { bearer })).body).toEqual({
    proven_until: null,
    methods: ['email'],
  });
  expect(await service.call(stepUp, { bearer, body: { password: alice.password } })).toMatchObject({
    status: 400,
    body: { reason: 'step_up_method_refused' },
  });
  const { session_token, sent_to } = (await service.call(sendStepUpCode, { bearer })).body;
  expect(sent_to).toBe('s•••@people.test');
  const code = await codeFor(service, alice.email);
  expect(
    (await service.call(stepUp, { bearer, body: { session_token, code: wrongCode(code) } })).body,
  ).toMatchObject({ reason: 'invalid_verification_code', attempts_remaining: 4 });
  expect((await createKey(alice)).body.reason).toBe('step_up_required');
  expect((await service.call(stepUp, { bearer, body: { session_token, code } })).status).toBe(200);
  expect((await createKey(alice)).status).toBe(201);
  const again = await service.call(stepUp, { bearer, body: { session_token, code } });
  expect(again.body.reason).toBe('invalid_session_token');
});

test('a step-up code proves identity only in the session that requested it', async () => {
  const alice = await twoFactorPerson(service, 'Bound');
  const [bob, mallory] = [await twoFactorPerson(service, 'Bob'), await person(service, 'Mallory')];
  const { session_token } = (await service.call(sendStepUpCode, { bearer: alice.access })).body;
  const code = await codeFor(service, alice.email);
  const { id: account_id } = (await service.call(getMe, { bearer: alice.access })).body;
  const elsewhere = await lapsed({ ...alice, access: await signedIn(service, { account_id }) });
  for (const { access } of [bob, mallory, elsewhere]) {
    const stolen = await service.call(stepUp, { bearer: access, body: { session_token, code } });
    expect(stolen.body.reason).toBe('invalid_session_token');
  }
  expect((await createKey(elsewhere)).body.reason).toBe('step_up_required');
});

test('a step-up code does not sign in', async () => {
  const alice = await lapsed(await twoFactorPerson(service, 'Mixed'));

  const { session_token } = (await service.call(sendStepUpCode, { bearer: alice.access })).body;
  const code = await codeFor(service, alice.email);
  expect((await service.call(verifyTwoFactor, { body: { session_token, code } })).body.reason).toBe(
    'invalid_session_token',
  );
});

test('a session allows ten wrong proofs of identity in fifteen minutes, without locking other sessions', async () => {
  const alice = await person(service, 'Guessed');
  const other = await anotherSession(service, alice);
  const guess = (access: string, password: string, remoteAddress: string) =>
    service.inject({
      method: 'POST',
      url: '/api/v1/auth/step-up/',
      headers: { authorization: `Bearer ${access}` },
      payload: { password },
      remoteAddress,
    });
  // Every guess comes from another address, as those of a thief with many would. Parallel ones do not pass the limit either.
  const compared = async (guesses: Promise<{ statusCode: number }>[]) =>
    (await Promise.all(guesses)).filter(({ statusCode }) => statusCode === 400).length;
  let wrong = await compared(
    Array.from({ length: 30 }, (_, n) => guess(alice.access, `guess ${n}`, `203.0.113.${n}`)),
  );
  for (let n = 0; n < 12; n += 1)
    wrong += await compared([guess(alice.access, `later guess ${n}`, `198.51.100.${n}`)]);
  expect(wrong).toBe(10);
  expect((await guess(alice.access, alice.password, '203.0.113.99')).statusCode).toBe(429);
  expect((await guess(other.access, alice.password, '198.51.100.1')).statusCode).toBe(200);
  await anotherSession(service, alice);
});

test('failed proofs of identity are audited per network and minute, separately from failed sign-ins', async () => {
  const alice = await person(service, 'Watched');
  for (const password of ['first', 'second'])
    await service.call(stepUp, { bearer: alice.access, body: { password } });
  const bob = await twoFactorPerson(service, 'Observed');
  const { session_token } = (await service.call(sendStepUpCode, { bearer: bob.access })).body;
  const code = wrongCode(await codeFor(service, bob.email));
  await service.call(stepUp, { bearer: bob.access, body: { session_token, code } });
  const failures = async ({ access }: Person) =>
    (await service.call(listAuditEntries, { bearer: access, query: { search: 'fail' } })).body.results;
  const entry = { action: 'step_up.fail', actor: 'unknown', ip_address: '127.0.0.1' };
  expect(await failures(alice)).toMatchObject([{ ...entry, subject: 'Wrong current password', count: 2 }]);
  expect(await failures(bob)).toMatchObject([{ ...entry, subject: 'Wrong code', count: 1 }]);
});

test('a proof of identity requires a password or a code of a factor that the account has', async () => {
  const { access: bearer } = await person(service, 'Empty');
  expect((await service.call(stepUp, { bearer, body: {} })).body).toMatchObject({
    password: ['This field is required.'],
  });
  const unused = await service.call(stepUp, { bearer, body: { code: '123456' } });
  const withoutPasskey = await service.call(startPasskeyStepUp, { bearer });
  for (const { body } of [unused, withoutPasskey]) expect(body.reason).toBe('step_up_method_refused');
  expect((await service.call(sendStepUpCode, { bearer })).status).toBe(400);
});

/** Calls that always need a proof of identity. */
const ALWAYS = [
  'DELETE /api-keys/:id/',
  'DELETE /connections/:id/',
  'DELETE /limits/:id/',
  'PUT /limits/:id/',
  'DELETE /members/me/',
  'DELETE /message-domains/:id/',
  'DELETE /payments/methods/:id/',
  'DELETE /profile/authenticator/',
  'DELETE /profile/passkeys/:id/',
  'DELETE /recipients/suppressed/:id/',
  'DELETE /templates/:id/',
  'DELETE /users/me',
  'DELETE /webhooks/:id/',
  'POST /invitations/',
  'POST /invitations/:id/resend/',
  'POST /protection/deny/',
  'POST /protection/remove/',
  'POST /recipients/known/',
  'DELETE /recipients/known/',
  'POST /sso/test/',
  'POST /api-keys/',
  'POST /api-keys/:id/rotate/',
  'POST /connections/',
  'POST /connections/:id/rotate/',
  'POST /credits/transfer/',
  'PUT /members/:person_id/',
  'DELETE /members/:person_id/',
  'DELETE /profile/',
  'POST /profile/authenticator/',
  'POST /profile/authenticator/confirm/',
  'POST /profile/passkeys/',
  'POST /profile/passkeys/options/',
  'POST /profile/recovery-codes/',
  'POST /protection/allow/',
  'POST /templates/',
  'POST /webhooks/',
  'POST /webhooks/:id/rotate-secret/',
  'PUT /api-keys/rules/',
  'PUT /plans/',
  'PUT /templates/:id/',
  'PUT /protection/spend/',
  'PUT /sso/',
  'DELETE /sso/',
  'POST /auth/sso/link/',
];
/** Calls that need one for some changes; each has its own test. */
const SOMETIMES = [
  'POST /auth/change-password',
  'POST /payments/create-intent/',
  'POST /payments/create-with-saved/',
  'POST /test-send/',
  'POST /verifications/:id/resend/',
  'PUT /api-keys/:id/',
  'PUT /connections/:id/',
  'POST /connections/:id/test/',
  'PUT /payments/auto-purchase/',
  'PUT /profile/',
  'PUT /profile/2fa/',
  'PUT /profile/email-branding/',
  'PUT /protection/',
  'PUT /webhooks/:id/',
];

describe('without a recent proof', () => {
  test('without a recent proof, every call that needs one is refused before its input is validated', async () => {
    const alice = await lapsed(await person(service, 'Marked'));
    const marked = routes.filter((route) => route.stepUp === true);
    // Written out, because a list derived from the contract would lose a call together with its mark.
    expect(marked.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(ALWAYS.toSorted());
    const conditional = routes.filter((route) => typeof route.stepUp === 'object');
    expect(conditional.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(SOMETIMES.toSorted());
    for (const route of marked) {
      const id = service.app.random.uuid();
      const params = { id, person_id: id };
      const answer = await service.call(route, { bearer: alice.access, params, body: {} });
      expect({ name: route.name, ...answer }).toMatchObject({
        status: 400,
        body: { reason: 'step_up_required' },
      });
    }
  });

  test('without a recent proof, only changes that could harm the account are refused', async () => {
    const alice = await person(service, 'Partly');
    const bearer = alice.access;
    const key = (await createKey(alice)).body;
    const hook = (await service.call(createWebhook, { bearer, body: FIELDS })).body;
    const branding = (await service.call(getBranding, { bearer })).body;
    const twoFactor = (await service.call(getTwoFactor, { bearer })).body;
    await lapsed(alice);
    const byKey = { bearer, params: { id: key.id } };
    const byHook = { bearer, params: { id: hook.id } };
    const bought = { credits: 100, price_usd_cents: 200 };
    const entry = { kind: 'prefix' as const, value: '+1415555' };

    const refused = [
      await service.call(updateWebhook, { ...byHook, body: { ...FIELDS, secret: 'a secret of mine' } }),
      await service.call(updateWebhook, { ...byHook, body: { ...FIELDS, url: 'https://other.example/' } }),
      await service.call(updateWebhook, { ...byHook, body: { ...FIELDS, is_active: false } }),
      await service.call(updateApiKey, { ...byKey, body: { allowed_networks: ['192.0.2.1'] } }),
      await service.call(updateApiKey, { ...byKey, body: { scopes: ['otp:send'] } }),
      await service.call(updateBranding, { bearer, body: { ...branding, auto_purchase_amount: 9_000 } }),
      await service.call(updateBranding, { bearer, body: { ...branding, default_message: 'Hi: {code}' } }),
      await service.call(updateTwoFactor, {
        bearer,
        body: { ...twoFactor, two_factor_enabled: true, current_password: alice.password },
      }),
      await service.call(updateProtection, { bearer, body: { rules: { prefix_velocity: { mode: 'off' } } } }),
      await service.call(updateProtection, { bearer, body: { deny: [] } }),
      await service.call(allowDestination, { bearer, body: entry }),
      await service.call(createIntent, { bearer, body: { ...bought, save_payment_method: true } }),
    ];
    for (const { status, body } of refused)
      expect({ status, reason: body.reason }).toEqual({ status: 400, reason: 'step_up_required' });

    const accepted = [
      await service.call(updateApiKey, { ...byKey, body: { name: 'Renamed', note: 'Shop' } }),
      await service.call(updateWebhook, { ...byHook, body: { ...FIELDS, name: 'Renamed' } }),
      await service.call(updateBranding, { bearer, body: branding }),
      await service.call(updateTwoFactor, { bearer, body: twoFactor }),
      await service.call(createIntent, { bearer, body: { ...bought, save_payment_method: false } }),
    ];
    expect(accepted.map(({ status }) => status)).toEqual(accepted.map(() => 200));
  });
});
