/** With WEBHOOK_ALLOW_PRIVATE=0 no byte reaches a private server, regardless of how its address was set. */

import { createWebhook, testWebhook, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../test/fakes/receiver.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { type WebhookCustomer, webhookCustomer } from '../../test/webhook-customer.ts';
import { webhookJobs } from './jobs.ts';
import { testWebhookEndpoint } from './webhooks.ts';

const service = fixture(() => testService({ env: { WEBHOOK_ALLOW_PRIVATE: '0' } }));
let inside: Receiver;
let alice: WebhookCustomer;
beforeEach(async ({ task }) => {
  inside = await startReceiver();
  alice = await webhookCustomer(service, `Alice-${task.id}`);
});
afterEach(async () => {
  const touched = [inside.connections, inside.bytesRead, inside.requests.length];
  await inside.close();
  expect(touched).toEqual([0, 0, 0]);
});

const NOT_PUBLIC = 'The URL must lead to a public address on the internet.';
const urlsInside = () => [
  `https://127.0.0.1:${inside.port}/ok`,
  `https://localhost:${inside.port}/ok`,
  `https://[::1]:${inside.port}/ok`,
  `https://[::ffff:127.0.0.1]:${inside.port}/ok`,
  `https://2130706433:${inside.port}/ok`,
  `https://0x7f.1:${inside.port}/ok`,
  'https://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
];
/** A name that was public when it was checked. */
const resolveInside = async () => ['127.0.0.1'];
/** Bypasses every check, as if stored by an earlier version or setting. */
const store = (id: string, url: string) =>
  service.app.db.run('update webhook_endpoints set url = $2 where id = $1', [id, url]);

test('creating a webhook endpoint with a private address is refused', async () => {
  for (const url of urlsInside()) {
    const refused = await service.call(createWebhook, { bearer: alice.bearer, body: { name: 'In', url } });
    expect(refused).toMatchObject({ status: 400, body: { url: [NOT_PUBLIC], error: NOT_PUBLIC } });
  }
  const plain = await service.call(createWebhook, {
    bearer: alice.bearer,
    body: { name: 'In', url: inside.at('/ok') },
  });
  expect(plain.body).toMatchObject({ url: ['The URL must begin with https://.'] });
});

test('changing a webhook endpoint to a private address is refused', async () => {
  const { id } = await alice.addEndpoint('https://hooks.example.com/x');
  for (const url of urlsInside()) {
    const body = { name: 'In', url };
    const refused = await service.call(updateWebhook, { bearer: alice.bearer, params: { id }, body });
    expect(refused).toMatchObject({ status: 400, body: { url: [NOT_PUBLIC] } });
  }
  expect(await alice.endpoint(id)).toMatchObject({ url: 'https://hooks.example.com/x' });
});

test('a webhook test does not reach a private address', async () => {
  const { id } = await alice.addEndpoint('https://hooks.example.com/x');
  for (const url of [...urlsInside(), inside.at('/ok')]) {
    await store(id, url);
    const tested = await service.call(testWebhook, { bearer: alice.bearer, params: { id } });
    expect(tested).toMatchObject({ status: 200, body: { success: false, response_status: null } });
  }
});

test('webhook deliveries and retries do not reach a private address', async () => {
  const { id } = await alice.addEndpoint('https://hooks.example.com/x');
  await store(id, `https://127.0.0.1:${inside.port}/ok`);
  await alice.publish('sent');
  await service.drain();
  await service.clock.advance(7_000);
  await service.drain();
  const failed = { succeeded: false, response_status: null, error: NOT_PUBLIC };
  expect(await alice.attempts(id)).toMatchObject([failed, failed]);
});

test('a name that resolves to a private address gets no webhook test, delivery or retry', async () => {
  const { id } = await alice.addEndpoint(`https://rebinding.example.com:${inside.port}/ok`);
  const app = { ...service.app, resolve: resolveInside };
  const tested = await testWebhookEndpoint(app, { id, account_id: alice.account_id });
  expect(tested).toMatchObject({ success: false, response_status: null });

  await alice.publish('sent');
  const [job] = webhookJobs(app);
  for (let n = 0; n < 2; n++) {
    await job?.run(service.worker);
    await job?.idle?.();
    await service.clock.advance(7_000);
  }
  const attempts = await alice.attempts(id);
  expect(attempts).toHaveLength(3);
  for (const { error } of attempts) {
    expect(error).toBe('rebinding.example.com does not lead to a public address on the internet.');
    expect(error).not.toContain('127.0.0.1');
  }
});
