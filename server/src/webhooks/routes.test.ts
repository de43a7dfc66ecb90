import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { cancelVerification } from '@sixdigit/contract/verifications.ts';
import {
  createWebhook,
  deleteWebhook,
  listVerificationWebhooks,
  listWebhooks,
  replayWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@sixdigit/contract/webhooks.ts';
import { Webhook as Verifier } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startReceiver } from '../../test/fakes/receiver.ts';
import { fixture } from '../../test/fixture.ts';
import { type Person, person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import { webhookFixture } from '../../test/webhook-fixture.ts';
import * as queries from './queries.ts';

const service = fixture(testService);
const receiver = fixture(startReceiver);
const alice = fixture(() => webhookCustomer(service, 'Alice'));

const allOn = {
  is_active: true,
  send_on_sent: true,
  send_on_delivered: true,
  send_on_failed: true,
  send_on_verified: true,
  send_on_expired: true,
  send_on_step: true,
};

test('the audit log has the origin of a webhook URL, but neither its path nor a secret', async () => {
  const dora = await webhookCustomer(service, 'Dora');
  const bearer = dora.bearer;
  const fields = { name: 'Orders', url: 'https://hooks.example.com/path-secret?token=query-secret' };
  const { id, secret } = (await service.call(createWebhook, { bearer, body: fields })).body;
  const moved = { ...fields, url: 'https://hooks.example.com/other-secret' };
  await service.call(updateWebhook, { bearer, params: { id }, body: moved });
  await service.call(rotateWebhookSecret, { bearer, params: { id } });
  await service.call(deleteWebhook, { bearer, params: { id } });
  const { results } = (await service.call(listAuditEntries, { bearer, query: { group: 'webhook' } })).body;
  expect(results.map(({ action }) => action)).toEqual([
    'webhook.delete',
    'webhook.rotate_secret',
    'webhook.change',
    'webhook.create',
  ]);
  expect(results[3]?.after).toMatchObject({ url: 'https://hooks.example.com/…' });
  expect(JSON.stringify(results)).not.toMatch(/path-secret|query-secret|other-secret|whsec_/);
  expect(JSON.stringify(results)).not.toContain(secret);
});

test('a new endpoint is active with all events but steps by default, and shows the generated secret once', async () => {
  const made = await service.call(createWebhook, {
    bearer: alice.bearer,
    body: { name: ' Orders ', url: receiver.at('/ok'), secret: '' },
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    ...allOn,
    send_on_step: false,
    name: 'Orders',
    url: receiver.at('/ok'),
    total_sent: 0,
    consecutive_failures: 0,
    last_sent_at: null,
    last_success_at: null,
    disabled_reason: null,
  });
  expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const shown = JSON.stringify(
    (await service.call(listWebhooks, { bearer: alice.bearer, query: { search: 'orders' } })).body,
  );
  expect(shown).toContain('Orders');
  expect(shown).not.toContain('secret');
});

test.each([
  [' my own & long secret ', 'my own & long secret'],
  ['v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
])(
  "surrounding spaces and a v1, prefix are removed from a customer's webhook secret: %j",
  async (given, meant) => {
    const { secret } = await alice.addEndpoint(receiver.at('/ok'), { secret: given });
    expect(secret).toBe(meant);
  },
);

test.each([
  ['no name', 'name', undefined, 'This field is required.'],
  ['a blank name', 'name', '  ', 'This field is required.'],
  ['a long name', 'name', 'x'.repeat(101), 'Name must be at most 100 characters'],
  ['no URL', 'url', '', 'This field is required.'],
  ['another scheme', 'url', 'ftp://example.com', 'The URL must begin with https:// or http://.'],
  ['a long URL', 'url', `http://a.example/${'x'.repeat(2048)}`, 'URL must be at most 2048 characters'],
  [
    'a broken secret',
    'secret',
    'whsec_not base64',
    'The secret must be base64 after whsec_, padded with = to a multiple of four characters.',
  ],
  ['a secret of a few bytes', 'secret', 'x', 'The secret must have at least 16 bytes.'],
  ['a secret whose bytes are unclear', 'secret', 'grüße', 'The secret must consist of ASCII characters.'],
  ['a switch that is none', 'is_active', 'yes', 'Must be true or false.'],
])('a new endpoint is refused for %s', async (_, field, wrong, sentence) => {
  const body = { name: 'Hook', url: receiver.at('/ok'), [field]: wrong };
  const refused = await service.call(createWebhook, { bearer: alice.bearer, body });
  expect(refused).toMatchObject({ status: 400, body: { [field]: [sentence], error: sentence } });
});

test('an account creates at most 20 endpoints, even under 30 parallel requests', async () => {
  const dora = await webhookCustomer(service, 'Dora');
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      service.call(createWebhook, {
        bearer: dora.bearer,
        body: { name: `Hook ${n}`, url: receiver.at('/ok') },
      }),
    ),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
  const refused = made.find(({ status }) => status !== 201);
  expect(refused).toMatchObject({
    status: 400,
    body: { url: ['At most 20 webhook endpoints are possible.'] },
  });
});

test('the list of endpoints is searched by name and URL, sorted and paged', async () => {
  const emil = await webhookCustomer(service, 'Emil');
  await emil.addEndpoint(receiver.at('/ok?b'), { name: 'banana 100%' });
  await emil.addEndpoint(receiver.at('/ok?a'), { name: 'Apple', is_active: false });
  await emil.addEndpoint(receiver.at('/ok?c'), { name: 'cherry' });
  const names = async (query: object) => {
    const { body } = await service.call(listWebhooks, { bearer: emil.bearer, query });
    return [body.count, ...body.results.map(({ name }) => name)];
  };
  expect(await names({})).toEqual([3, 'cherry', 'Apple', 'banana 100%']);
  expect(await names({ ordering: 'name' })).toEqual([3, 'Apple', 'banana 100%', 'cherry']);
  expect(await names({ ordering: '-url' })).toEqual([3, 'cherry', 'banana 100%', 'Apple']);
  expect((await names({ ordering: 'is_active' })).slice(0, 2)).toEqual([3, 'Apple']);
  expect(await names({ search: 'APP' })).toEqual([1, 'Apple']);
  expect(await names({ search: '?c' })).toEqual([1, 'cherry']);
  expect(await names({ search: '%' })).toEqual([1, 'banana 100%']);
  expect(await names({ page: 2, page_size: 2, ordering: 'name' })).toEqual([3, 'cherry']);
  expect(await names({ page: 9 })).toEqual([3]);
  const wrong = await service.call(listWebhooks, { bearer: emil.bearer, query: { ordering: 'secret' } });
  expect(wrong).toMatchObject({ status: 400, body: { ordering: [expect.any(String)] } });
});

const secretIsStill = async (id: string, secret: string) => {
  receiver.requests.length = 0;
  await service.call(testWebhook, { bearer: alice.bearer, params: { id } });
  const [request] = await receiver.waitFor(1);
  return new Verifier(secret, { format: 'raw' }).verify(request?.body ?? '', request?.headers ?? {});
};

test('changing an endpoint returns its new state and keeps the secret if none is given', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'), { secret: 'the first of two secrets' });
  const body = { name: 'New', url: receiver.at('/200'), ...allOn, send_on_sent: false };
  const changed = await service.call(updateWebhook, { bearer: alice.bearer, params: { id }, body });
  expect(changed).toMatchObject({ status: 200, body: { id, ...body } });
  expect(changed.body).not.toHaveProperty('secret');
  await secretIsStill(id, 'the first of two secrets');
  const change = (secret: string) =>
    service.call(updateWebhook, { bearer: alice.bearer, params: { id }, body: { ...body, secret } });
  await change('');
  await secretIsStill(id, 'the first of two secrets');
  await change('the second of two secrets');
  await secretIsStill(id, 'the second of two secrets');
  await expect(secretIsStill(id, 'the first of two secrets')).rejects.toThrow();
});

test('changing an endpoint is refused for the same input as creating it', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  const refused = await service.call(updateWebhook, {
    bearer: alice.bearer,
    params: { id },
    body: { name: '', url: 'https://' },
  });
  expect(refused).toMatchObject({ status: 400, body: { name: ['This field is required.'] } });
});

test('disabling an endpoint empties its queue', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/503'));
  await alice.publish('sent');
  await service.drain();
  const body = { name: 'Off', url: receiver.at('/503'), is_active: false };
  await service.call(updateWebhook, { bearer: alice.bearer, params: { id }, body });
  expect(await queueOf(id)).toBe(0);
});

const queueOf = async (id: string) =>
  (
    await service.app.db.one<{ n: number }>(
      'select count(*) as n from webhook_deliveries where endpoint_id = $1',
      [id],
    )
  ).n;

test('deleting an endpoint deletes its queue', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/503'));
  await alice.publish('sent');
  await service.drain();
  expect(await queueOf(id)).toBe(1);
  const gone = await service.call(deleteWebhook, { bearer: alice.bearer, params: { id } });
  expect([gone.status, gone.body]).toEqual([204, undefined]);
  expect(await queueOf(id)).toBe(0);
  expect(await alice.endpoint(id)).toBeUndefined();
  const again = await service.call(deleteWebhook, { bearer: alice.bearer, params: { id } });
  expect(again.status).toBe(404);
});

test('an account may run ten webhook tests a minute over all its endpoints, even in parallel', async () => {
  await service.clock.advance(61_000);
  const [{ id }, other] = [
    await alice.addEndpoint(receiver.at('/ok')),
    await alice.addEndpoint(receiver.at('/ok'), { name: 'Other' }),
  ];
  const test = (id: string) => service.call(testWebhook, { bearer: alice.bearer, params: { id } });
  const answers = await Promise.all(Array.from({ length: 14 }, (_, n) => test(n % 2 ? id : other.id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  await service.clock.advance(61_000);
  expect(await test(id)).toMatchObject({ status: 200, body: { success: true } });
});

const hooks = fixture(() => webhookFixture(service));

const send = async (recipient: string): Promise<string> => {
  const { alice } = hooks;
  const body = { channel: 'email', recipient } as const;
  const sent = await service.call(sendOtp, { apiKey: alice.api_key, body });
  expect(sent.status).toBe(201);
  return sent.body.otp_id;
};
const messages = async (id: string, bearer?: string) =>
  service.call(listVerificationWebhooks, { bearer: bearer ?? hooks.alice.bearer, params: { id } });

test('the webhook messages about a verification are listed with the outcome of their last attempt', async () => {
  const { alice, receiver } = hooks;
  const endpoint = await alice.addEndpoint(receiver.at('/ok'));
  const id = await send('listed@example.com');
  const canceled = await send('canceled@example.com');
  await service.call(cancelVerification, { bearer: alice.bearer, params: { id: canceled } });
  await service.drain();
  const code = (await service.inbox('listed@example.com'))[0]?.code ?? '';
  await service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id: id, code } });
  await service.drain();

  const { results } = (await messages(id)).body;
  expect(results.map(({ event_type }) => event_type)).toEqual(['otp.sent', 'otp.verified']);
  for (const message of results)
    expect(message).toMatchObject({
      endpoint: { id: endpoint.id, name: endpoint.name },
      attempts: 1,
      response_status: 200,
      succeeded: true,
      next_attempt_at: null,
    });
  expect((await messages(canceled)).body.results.map(({ event_type }) => event_type)).toEqual([
    'otp.expired',
  ]);

  const message_id = results[0]?.message_id ?? '';
  await service.call(replayWebhookMessage, {
    bearer: alice.bearer,
    params: { id: endpoint.id, message_id },
  });
  await service.drain();
  expect((await messages(id)).body.results.map(({ attempts }) => attempts)).toEqual([2, 1]);
});

test('a webhook message that waits for its first attempt is listed without an outcome', async () => {
  const { alice, receiver } = hooks;
  const id = await send('waiting@example.com');
  await service.drain();
  await alice.addEndpoint(receiver.at('/ok'));
  await service.call(cancelVerification, { bearer: alice.bearer, params: { id } });
  const waiting = (await messages(id)).body.results.filter(({ event_type }) => event_type === 'otp.expired');
  expect(waiting.length).toBeGreaterThan(0);
  for (const message of waiting)
    expect(message).toMatchObject({ attempts: 0, response_status: null, succeeded: false });
});

/** Routes find an endpoint before they change it. Each statement also checks the account, in case a caller does not. */
test('no statement finds, changes or deletes an endpoint of another account', async () => {
  const alice = await service.customer('Alice');
  const bob = await service.customer('Bob');
  const { db, random } = service.app;
  const id = random.uuid();
  const settings = { name: 'Orders', url: 'https://hook.example/', ...allOn };
  const alices = { id, account_id: alice.account_id };
  const bobs = { id, account_id: bob.account_id };
  await db.transaction((tx) => queries.insertEndpoint(tx, alices, settings, Buffer.alloc(32)));
  const row = () => db.one('select to_jsonb(e) as endpoint from webhook_endpoints e where id = $1', [id]);
  const before = await row();
  await db.transaction(async (tx) => {
    expect(await queries.lockShown(tx, bobs)).toBeUndefined();
    expect(await queries.lockEndpoint(tx, bobs)).toBeUndefined();
    expect(await queries.updateEndpoint(tx, bobs, { ...settings, name: 'Taken' }, null)).toBeUndefined();
    expect(await queries.deleteEndpoint(tx, bobs)).toBe(0);
    expect(await queries.endpointIdsOf(tx, bob.account_id)).toEqual([]);
  });
  expect(await queries.findEndpoint(db, bobs)).toBeUndefined();
  expect(await row()).toEqual(before);
  expect(await db.transaction((tx) => queries.deleteEndpoint(tx, alices))).toBe(1);
});

const URL_OF_HERS = 'https://hooks.example.com/orders';
const hook = (url: string) => ({ name: 'Orders', url });

const prove = ({ email }: Person, at: string) =>
  service.app.db.run(
    `update sessions set proven_at = ${at} where account_id = (select id from accounts where email = $1)`,
    [email],
  );
const mailsTo = async ({ email }: Person) => {
  await service.drain();
  return (await service.inbox(email)).filter(({ subject }) => /webhook endpoint/.test(subject ?? ''));
};

async function withEndpoint(name: string) {
  const alice = await person(service, name);
  const bearer = alice.access;
  const made = await service.call(createWebhook, { bearer, body: hook(URL_OF_HERS) });
  expect(made.status).toBe(201);
  await prove(alice, 'null');
  const move = (url: string) =>
    service.call(updateWebhook, { bearer, params: { id: made.body.id }, body: hook(url) });
  return { alice, bearer, id: made.body.id, move };
}

test('without a recent proof of identity, no webhook endpoint can be added', async () => {
  const { bearer } = await withEndpoint('Adds');
  const refused = await service.call(createWebhook, { bearer, body: hook('https://evil.example/') });
  expect(refused).toMatchObject({ status: 400, body: { reason: 'step_up_required' } });
  expect((await service.call(listWebhooks, { bearer, query: {} })).body.count).toBe(1);
});

test.each([
  ['another host', 'https://evil.example/orders'],
  ['a host inside its host', 'https://evil.hooks.example.com/orders'],
  ['another port', 'https://hooks.example.com:8443/orders'],
  ['another protocol', 'http://hooks.example.com/orders'],
  ['a user name that looks like its host', 'https://hooks.example.com@evil.example/orders'],
])('without a recent proof of identity, no webhook endpoint can move to %s', async (_, url) => {
  const { alice, bearer, move } = await withEndpoint('Moves');
  const refused = await move(url);
  expect(refused.status).toBe(400);
  const { results } = (await service.call(listWebhooks, { bearer, query: {} })).body;
  expect(results[0]?.url).toBe(URL_OF_HERS);
  expect(await mailsTo(alice)).toHaveLength(1);
});

test('only the name of an endpoint changes without a recent proof of identity, and another path causes no mail', async () => {
  const { alice, bearer, id, move } = await withEndpoint('Stays');
  const renamed = { ...hook(URL_OF_HERS), name: 'Renamed' };
  expect((await service.call(updateWebhook, { bearer, params: { id }, body: renamed })).status).toBe(200);
  expect((await move('https://hooks.example.com/returns')).body).toMatchObject({
    reason: 'step_up_required',
  });
  await prove(alice, 'clock_now()');
  for (const url of ['https://hooks.example.com/returns', 'https://HOOKS.example.com:443/orders'])
    expect((await move(url)).status).toBe(200);
  expect(await mailsTo(alice)).toHaveLength(1);
});

test('the owner gets a mail about a new endpoint or origin, without the path', async () => {
  const { alice, move } = await withEndpoint('Told');
  await prove(alice, 'clock_now()');
  expect((await move('https://elsewhere.example/secret-path')).status).toBe(200);
  const mails = await mailsTo(alice);
  const textOf = (subject: string) => mails.find((mail) => mail.subject === subject)?.text;
  expect(mails).toHaveLength(2);
  expect(textOf('A new webhook endpoint was added')).toContain('https://hooks.example.com');
  expect(textOf('A webhook endpoint has a new address')).toContain('https://elsewhere.example');
  expect(JSON.stringify(mails)).not.toMatch(/secret-path|\/orders/);
});

test('at most ten mails a day report new webhook receivers', async () => {
  const { alice, move } = await withEndpoint('Flooded');
  await prove(alice, 'clock_now()');
  for (let n = 0; n < 12; n += 1) expect((await move(`https://host${n}.example/`)).status).toBe(200);
  expect(await mailsTo(alice)).toHaveLength(10);
});
