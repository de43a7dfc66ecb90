import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { endSession, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { refreshTokens, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import { createWebhook, rotateWebhookSecret, testWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { policyOf } from '../src/protection/policy.ts';
import { anotherProcess } from './another-process.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { anotherSession, codeFor, person } from './person.ts';
import { testService } from './service.ts';

/** Two processes share all state through the database. */

const receiver = fixture(startReceiver);
const service = fixture(testService);
const other = fixture(() => anotherProcess(service));

test('a sign-up started on one process completes once on the other', async () => {
  const email = 'moving@people.test';
  const password = 'moves from host to host';
  const { body } = await service.call(signUp, {
    body: { email, phone_number: '4155550177', password, confirm_password: password },
  });
  const entered = {
    body: { session_token: body.session_token ?? '', code: await codeFor(service, email) },
  };
  const answers = await Promise.all(
    [other, service, other, service].map((process) => process.call(verifyTwoFactor, entered)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
});

test('a session ended on one process stops immediately on the other', async () => {
  const alice = await person(service, 'Alice');
  const { access } = await anotherSession(service, alice);
  expect((await other.call(getMe, { bearer: access })).status).toBe(200);
  const { body } = await service.call(listSessions, { bearer: access });
  const id = body.results.find(({ is_current }) => is_current)?.id ?? '';
  expect((await service.call(endSession, { bearer: alice.access, params: { id } })).status).toBe(204);
  expect((await other.call(getMe, { bearer: access })).status).toBe(401);
  expect((await other.call(getMe, { bearer: alice.access })).status).toBe(200);
});

test('twenty parallel refreshes on both processes stay in one token family', async () => {
  const bob = await person(service, 'Bob');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? service : other).call(refreshTokens, { body: { refresh: bob.refresh } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.refresh)).size).toBe(1);
  const { sessions } = await service.app.db.one<{ sessions: number }>(
    `select count(*) as sessions from sessions s join accounts a on a.id = s.account_id where a.email = $1`,
    [bob.email],
  );
  expect(sessions).toBe(1);
});

test('a process that stops writes its counts of sends and failed sign-ins, and the last use of keys', async () => {
  const { api_key, api_key_id, account_id } = await service.customer('Carol');
  const stopping = await anotherProcess(service);
  const body = { channel: 'sms', recipient: '+14155550101' } as const;
  expect((await stopping.call(sendOtp, { apiKey: api_key, body })).status).toBe(201);
  const { guard } = stopping.app.protection;
  const rules = { country: { mode: 'enforce' as const, countries: ['DE'] } };
  guard.setPolicy(account_id, policyOf({ rules, allow: [], deny: [] }, { sandbox: false }));
  expect((await stopping.call(sendOtp, { apiKey: api_key, body })).body.reason).toBe('destination_blocked');
  const client = { network: '203.0.113.0', ip_address: '203.0.113.7', user_agent: null };
  stopping.app.failedSignIns.count({ person_id: account_id, subject: 'Wrong password', client });
  stopping.app.activity.count('send_refused', 'at the end');
  await stopping[Symbol.asyncDispose]();
  expect(
    await service.app.db.one(
      `select (select last_used_at is not null from api_keys where id = $1) as key,
         (select count(*) from audit_entries where account_id = $2 and action = 'sign_in.fail') as sign_ins,
         (select sum(entries) from activity_minutes where subject = 'at the end') as counts,
         (select sum(blocked) from protection_blocks where account_id = $2) as blocked,
         (select count(*) from protection_deltas where deltas::text like '%' || $2 || '%') as sends`,
      [api_key_id, account_id],
    ),
  ).toEqual({ key: true, sign_ins: 1, counts: 1, blocked: 1, sends: 1 });
});

test('a purchase requested on both processes in parallel creates one order', async () => {
  const carol = await person(service, 'Carol');
  const input = {
    bearer: carol.access,
    body: { credits: 100, price_usd_cents: 200 },
    headers: { 'idempotency-key': 'at-once' },
  };
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? service : other).call(createIntent, input)),
  );
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  const secrets = answers.flatMap(({ body }) => body.client_secret ?? []);
  expect(new Set(secrets).size).toBe(1);
  const again = await other.call(createIntent, input);
  expect(again.body.client_secret).toBe(secrets[0]);
  expect(again.headers).toHaveProperty('idempotent-replayed', 'true');
});

test('after one process replaces a webhook secret, the other signs with the new one', async () => {
  const dora = await person(service, 'Dora');
  const made = await service.call(createWebhook, {
    bearer: dora.access,
    body: { name: 'Hook', url: receiver.at('/ok') },
  });
  const params = { id: made.body.id };
  await other.call(testWebhook, { bearer: dora.access, params });
  await service.call(rotateWebhookSecret, { bearer: dora.access, params });
  await other.call(testWebhook, { bearer: dora.access, params });
  const signatures = (await receiver.waitFor(2)).map(({ headers }) =>
    headers['webhook-signature']?.split(' '),
  );
  // The old one signs along.
  expect(signatures.map((all) => all?.length)).toEqual([1, 2]);
});
