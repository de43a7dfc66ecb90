import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  refreshTokens,
  resendTwoFactor,
  signIn,
  signUp,
  verifyTwoFactor,
} from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import {
  checkDestination,
  importKnownRecipients,
  removeKnownRecipient,
} from '@sixdigit/contract/protection/protection.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, allJobs, createApi, createApp } from '../src/app.ts';
import { optOut } from '../src/messaging/opt-outs/opt-outs.ts';
import { suppress } from '../src/messaging/suppressions/suppressions.ts';
import type { Server } from '../src/platform/http/serve.ts';
import { createVault } from '../src/platform/security/vault.ts';
import { createWakeups } from '../src/platform/wakeups.ts';
import { callOn } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { codeFor, person } from './person.ts';
import { TEST_KEY_COST, type TestService, testService } from './service.ts';
import { testWorker } from './worker.ts';

/** A service restarts with a new SECRET_KEY and the old one in SECRET_KEY_PREVIOUS, without visible effect. */
const OLD = 'the key that is to be replaced';
const NEW = 'the key that takes its place';
let rotated: { app: App; server: Server };
let apiKey: string;

const receiver = fixture(startReceiver);
const service = fixture(() => testService({ env: { SECRET_KEY: OLD } }));
const alice = fixture(() => person(service, 'Alice'));
beforeAll(async () => {
  apiKey = (await service.call(createApiKey, { bearer: alice.access, body: { name: 'Key' } })).body.key;
  const vault = createVault(NEW, [OLD], service.app.random, TEST_KEY_COST);
  const app = createApp({ ...service.app, vault, wakeups: createWakeups() }, () => {});
  rotated = { app, server: await createApi(app) };
});
afterAll(async () => {
  await rotated.server.close();
  await rotated.app.batches.idle();
  await rotated.app.requestLog.close();
  await rotated.app.carriers.close();
});

const after: TestService['call'] = (route, input) => callOn(rotated.server, route, input);
const send = (call: TestService['call'], recipient: string, headers = {}) =>
  call(sendOtp, { apiKey, headers, body: { channel: 'sms', recipient } });

async function drainRotated(): Promise<void> {
  const worker = testWorker(service.app.random.uuid());
  for (const job of allJobs(rotated.app)) {
    while (await job.run(worker));
    await job.idle?.();
  }
}
const newestCode = async (recipient: string) => (await service.inbox(recipient))[0]?.code ?? '';

test('sessions survive a key rotation and can be refreshed', async () => {
  expect((await after(getMe, { bearer: alice.access })).status).toBe(200);
  const fresh = await after(refreshTokens, { body: { refresh: alice.refresh } });
  expect(fresh.status).toBe(200);
  expect((await after(getMe, { bearer: fresh.body.access })).status).toBe(200);
  // The other tab, with the parent, gets the same child.
  const again = await after(refreshTokens, { body: { refresh: alice.refresh } });
  expect(again.body.refresh).toBe(fresh.body.refresh);
  const next = await after(refreshTokens, { body: { refresh: fresh.body.refresh } });
  expect(next.status).toBe(200);
  expect((await after(signIn, { body: { email: alice.email, password: alice.password } })).status).toBe(200);
});

test('a code sent before a key rotation verifies after it', async () => {
  const { body } = await send(service.call, '+14155550121');
  await service.drain();
  const code = await newestCode('+14155550121');
  expect((await after(verifyOtp, { apiKey, body: { otp_id: body.otp_id, code } })).status).toBe(200);
});

test('a message queued before a key rotation is delivered after it, and the next send shares its code', async () => {
  const first = await send(service.call, '+14155550122');
  const second = await send(after, '+14155550122');
  await drainRotated();
  const codes = (await service.inbox('+14155550122')).map(({ code }) => code);
  expect(codes).toHaveLength(2);
  expect(new Set(codes).size).toBe(1);
  const verified = await after(verifyOtp, {
    apiKey,
    body: { otp_id: second.body.otp_id, code: codes[0] ?? '' },
  });
  expect(verified.status).toBe(200);
  expect(first.status).toBe(201);
});

test('a sign-up begun before a key rotation completes after it, even with a resent code', async () => {
  const email = 'late@people.test';
  const password = 'between two keys';
  const { body } = await service.call(signUp, {
    body: { email, phone_number: '4155550166', password, confirm_password: password },
  });
  const session_token = body.session_token ?? '';
  const code = await codeFor(service, email);
  expect((await after(resendTwoFactor, { body: { session_token } })).status).toBe(200);
  await drainRotated();
  expect(await newestCode(email)).toBe(code);
  expect((await after(verifyTwoFactor, { body: { session_token, code } })).status).toBe(200);
});

test('an opt-out survives a key rotation', async () => {
  const number = '+14155550123';
  await optOut(service.app.db, service.app.vault.fingerprint('opt-out', number));
  expect((await send(after, number)).body).toMatchObject({ reason: 'recipient_opted_out' });
});

test('a known recipient survives a key rotation', async () => {
  const recipient = '+14155550126';
  const imported = await service.call(importKnownRecipients, {
    bearer: alice.access,
    body: { recipients: [{ recipient }] },
  });
  expect(imported.body.imported).toBe(1);
  expect((await after(checkDestination, { apiKey, body: { recipient } })).body.known).toBe(true);
  const removed = await after(removeKnownRecipient, { bearer: alice.access, body: { recipient } });
  expect(removed.body).toEqual({ removed: true });
});

test('a suppressed address survives a key rotation, and its count of soft bounces goes on', async () => {
  const recipient = 'bounced@example.com';
  const { account_id } = await service.app.db.one<{ account_id: string }>(
    'select id as account_id from accounts where email = $1',
    [alice.email],
  );
  const event = { account_id, recipient, reason: 'soft_bounces', carrier: 'smtp' } as const;
  const bounce = (app: typeof service.app) =>
    app.db.transaction((tx) => suppress(tx, app, { ...event, otp_id: null, detail: null }));
  await bounce(service.app);
  await bounce(service.app);
  const third = await bounce(rotated.app);
  expect(Date.parse(third.until ?? '')).toBeGreaterThan(rotated.app.clock.now().getTime() + 3_600_000);
});

test('an idempotent response survives a key rotation', async () => {
  const headers = { 'idempotency-key': 'across-keys' };
  const before = await send(service.call, '+14155550124', headers);
  const again = await send(after, '+14155550124', headers);
  expect(again).toMatchObject({ status: 201, body: { otp_id: before.body.otp_id } });
  expect(again.headers).toHaveProperty('idempotent-replayed', 'true');
  const bought = { bearer: alice.access, headers, body: { credits: 100, price_usd_cents: 200 } };
  const order = await service.call(createIntent, bought);
  const same = await after(createIntent, bought);
  expect(same.body.client_secret).toBe(order.body.client_secret);
});

test('a webhook secret survives a key rotation', async () => {
  const { body } = await service.call(createWebhook, {
    bearer: alice.access,
    body: { name: 'Hook', url: receiver.at('/ok') },
  });
  await send(after, '+14155550125');
  await drainRotated();
  await drainRotated();
  const [request] = await receiver.waitFor(1);
  expect(() => new Webhook(body.secret).verify(request?.text ?? '', request?.headers ?? {})).not.toThrow();
});
