import { getOperatorPrices, updatePrices } from '@sixdigit/contract/operator/prices.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { getPlans, updatePlans } from '@sixdigit/contract/plans.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testOperator } from '../../../test/operator.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';
import { report } from '../reports/reports.ts';
import { noteUnreachable } from '../unreachable.ts';

/** The requests for plans: fields, settings, skipped channels and idempotency. */
const service = fixture(() =>
  testService({ env: { ALLOWED_COUNTRIES: 'US,DE', RECIPIENT_SENDS_PER_10_MIN: '8' } }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000, keys: 20, scopes: ['otp:own_code'] }));

let count = 0;
const phone = () => `+1415555${5000 + ++count}`;
const send = (body: object, headers = {}) =>
  service.call(sendOtp, { apiKey: alice.key(), headers, body: { recipient: phone(), ...body } });
const planned = async (body: object = {}) => {
  const sent = await send({ channels: ['sms', 'voice'], ...body });
  expect(sent.status).toBe(201);
  await service.drain();
  return sent.body;
};
const after = async (seconds: number) => {
  await service.clock.advance(seconds * 1000);
  await service.drain();
};
const steps = async (otp_id: string) => (await alice.state(otp_id)).steps?.map(({ at: _, ...step }) => step);

const eleven = Array.from({ length: 11 }, () => 'sms');
test.each([
  [{ channels: [] }, ['channels']],
  [{ channels: ['sms', 'sms'] }, ['channels']],
  [{ channels: eleven }, ['channels']],
  [{ channels: ['fax'] }, ['channels']],
  [{ channels: 'sms' }, ['channels']],
  [{ channels: ['sms', 'email'] }, ['channels']],
  [{ channels: ['sms'], channel: 'sms' }, ['channels']],
  [{ channels: ['sms', 'voice'], code: '123456' }, ['channels']],
  [{ channel: 'sms', wait_seconds: 60 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], wait_seconds: 14 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], wait_seconds: 901 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], wait_seconds: 20.5 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], wait_seconds: 120, expires_in: 120 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], wait_seconds: 300 }, ['wait_seconds']],
  [{ channels: ['sms', 'voice'], message: 'no placeholder' }, ['message']],
  [{ channels: ['sms', 'voice'], message: `{code} ${'x'.repeat(400)}` }, ['message']],
  [{ channels: ['sms', 'voice'], recipient: 'bob@example.com' }, ['recipient']],
  [{}, ['channel']],
])('%j is a field error and charges nothing', async (body, fields) => {
  const before = await alice.balance();
  const refused = await send(body);
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, fields]);
  expect(await alice.balance()).toBe(before);
});

/** Sends emails, but neither texts nor calls. */
const MAIL_ONLY = { SANDBOX: '0', SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'codes@example.com' };

test('a channel without a carrier is a field error, and "auto" leaves it out', async () => {
  await using bare = await testService({ env: MAIL_ONLY });
  const bob = await sender(bare, 'Bob');
  const ask = (recipient: string, channels: 'auto' | ('sms' | 'voice')[]) =>
    bare.call(sendOtp, { apiKey: bob.key(), body: { recipient, channels } });
  expect(await ask(phone(), ['sms', 'voice'])).toMatchObject({
    status: 400,
    body: { channels: ['SMS is not available on this service.', 'Voice is not available on this service.'] },
  });
  expect(await ask(phone(), 'auto')).toMatchObject({ status: 400, body: { channels: [expect.any(String)] } });
  expect((await ask('bob@example.com', 'auto')).body).toMatchObject({ channels: ['email'] });
  const bearer = await signedIn(bare, bob);
  const texts = { channels: ['sms' as const], wait_seconds: 60 };
  const missing = ['SMS is not available on this service.'];
  const save = async (body: object) => (await bare.call(updatePlans, { bearer, body })).body;
  expect(await save({ default: texts })).toMatchObject({ default: missing });
  expect(await save({ countries: [{ country: 'US', ...texts }] })).toMatchObject({ countries: missing });
});

test('"auto" is the account’s plan for the country, or else its default, or else the service’s', async () => {
  const carol = await sender(service, 'Carol', { keys: 8 });
  const bearer = await signedIn(service, carol);
  const auto = async (recipient: string, more: object = {}) => {
    const { body } = await service.call(sendOtp, {
      apiKey: carol.key(),
      body: { recipient, channels: 'auto', ...more },
    });
    const { steps: shown = [] } = await carol.state(body.otp_id);
    const [first, second] = shown.map(({ at }) => Date.parse(at ?? ''));
    return [body.channels, second === undefined ? null : second - (first ?? 0)];
  };
  expect(await auto(phone())).toEqual([['sms', 'voice'], 60_000]);
  expect(await auto(phone(), { expires_in: 90 })).toEqual([['sms', 'voice'], 45_000]);
  expect(await auto('carol@example.com')).toEqual([['email'], null]);
  const body = {
    default: { channels: ['voice'] as ('sms' | 'voice')[], wait_seconds: 60 },
    countries: [{ country: 'us', channels: ['voice', 'sms'] as ('sms' | 'voice')[], wait_seconds: 20 }],
  };
  const built_in = { channels: ['sms', 'voice'], wait_seconds: 60 };
  expect((await service.call(updatePlans, { bearer, body })).body).toEqual({
    default: body.default,
    countries: [{ ...body.countries[0], country: 'US' }],
    built_in,
  });
  expect((await service.call(getPlans, { bearer })).body.countries).toHaveLength(1);
  expect(await auto(phone())).toEqual([['voice', 'sms'], 20_000]);
  expect(await auto(phone(), { wait_seconds: 45 })).toEqual([['voice', 'sms'], 45_000]);
  expect(await auto('+4915123456789')).toEqual([['voice'], null]);
  const [us] = body.countries;
  const long = { ...body, countries: us ? [{ ...us, wait_seconds: 90 }] : [] };
  await service.call(updatePlans, { bearer, body: long });
  expect(await auto(phone(), { expires_in: 91 })).toEqual([['voice', 'sms'], 90_000]);
  // No channel would start within the life of this code.
  expect(await auto(phone(), { expires_in: 90 })).toEqual([['voice', 'sms'], 45_000]);
});

test.each([
  [{ default: { channels: ['email'] } }, 'default'],
  [{ default: { channels: [] } }, 'default'],
  [{ countries: [{ country: 'USA', channels: ['sms'] }] }, 'countries'],
  [{ countries: [1, 2].map(() => ({ country: 'US', channels: ['sms'] })) }, 'countries'],
])('the plans %j are refused', async (body, field) => {
  const bearer = await signedIn(service, alice);
  const refused = await service.call(updatePlans, { bearer, body: body as object });
  expect(refused).toMatchObject({ status: 400, body: { [field]: [expect.any(String)] } });
});

test('a channel that refuses the recipient is skipped, in the send as in later steps', async () => {
  const recipient = phone();
  await optOut(service.app.db, optOutFingerprint(service.app, recipient));
  const { otp_id, channel, cost_credits } = await planned({ recipient });
  expect([channel, await steps(otp_id)]).toEqual([
    'voice',
    [
      { channel: 'sms', status: 'skipped', reason: 'recipient_opted_out' },
      { channel: 'voice', status: 'sent' },
    ],
  ]);
  expect(cost_credits).toBe((await alice.state(otp_id)).cost_credits);
  const later = phone();
  const call = await planned({ recipient: later, channels: ['voice', 'sms'] });
  await optOut(service.app.db, optOutFingerprint(service.app, later));
  await after(61);
  expect(await steps(call.otp_id)).toEqual([
    { channel: 'voice', status: 'sent' },
    { channel: 'sms', status: 'skipped', reason: 'recipient_opted_out' },
  ]);
  expect((await alice.state(call.otp_id)).status).toBe('sent');
  expect((await alice.history(call.otp_id)).at(-1)?.notes).toBe('SMS skipped: recipient opted out');
});

test('each step carries the labels of its send, and starts a wait after the one before', async () => {
  const sent = { purpose: 'login', metadata: { order: '4711' }, client_ip: '203.0.113.7', max_attempts: 3 };
  const channels = ['sms', 'voice', 'whatsapp', 'telegram'] as const;
  const { otp_id } = await planned({ ...sent, channels, wait_seconds: 20, expires_in: 60 });
  const { created_at, steps: first } = await alice.state(otp_id);
  const at = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1000).toISOString();
  // The code is no longer valid when the last one would start.
  expect(first?.map((step) => step.at)).toEqual([created_at, at(20), at(40), null]);
  const { account_id } = alice;
  const failed = { state: 'undelivered', provider_message_id: null, reason: null } as const;
  await report(service.app, { ...failed, carrier: 'sandbox', account_id, otp_id });
  await service.drain();
  await after(21);
  expect((await alice.history(otp_id)).map(({ notes }) => notes).slice(-2)).toEqual([
    'Voice: the message before it failed',
    'WhatsApp: the message before it was not confirmed in time',
  ]);
  const rows = await service.app.db.rows(
    `select channel, purpose, metadata::json as metadata, host(client_ip) as client_ip, max_attempts
     from verifications where id = $1 or resend_of = $1 order by id`,
    [otp_id],
  );
  expect(rows).toEqual(channels.slice(0, 3).map((channel) => ({ channel, ...sent })));
});

test('steps without a wait share the life of a short code', async () => {
  const { otp_id } = await planned({ channels: ['sms', 'voice', 'whatsapp'], expires_in: 90 });
  const { created_at, steps: shown } = await alice.state(otp_id);
  expect(Date.parse(shown?.[1]?.at ?? '') - Date.parse(created_at)).toBe(30_000);
});

test('a resend skips the steps that refuse the recipient, and a send that every channel refuses says why the first did', async () => {
  const recipient = phone();
  const { otp_id } = await planned({ recipient, channels: ['whatsapp', 'sms', 'voice'] });
  await optOut(service.app.db, optOutFingerprint(service.app, recipient));
  const again = await service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: {} });
  expect(again.body).toMatchObject({ channel: 'voice' });
  expect(await steps(otp_id)).toMatchObject([
    { channel: 'whatsapp' },
    { channel: 'sms', status: 'skipped', reason: 'recipient_opted_out' },
    { channel: 'voice', status: 'pending' },
  ]);
  const poor = await sender(service, 'Poor', { credits: 0, keys: 2 });
  const body = { recipient, channels: ['sms' as const, 'voice' as const] };
  expect((await service.call(sendOtp, { apiKey: poor.key(), body })).body).toMatchObject({
    reason: 'recipient_opted_out',
  });
});

test('a channel that cannot deliver the recipient’s open code is skipped for one that can', async () => {
  const recipient = phone();
  await alice.sent(recipient, { code_length: 10 });
  const before = await alice.balance();
  expect(await send({ recipient, channels: ['telegram'] })).toMatchObject({
    status: 400,
    body: { channels: [expect.stringContaining('has 10')] },
  });
  expect(await alice.balance()).toBe(before);
  const { otp_id, channel } = await planned({ recipient, channels: ['telegram', 'sms'] });
  expect([channel, await steps(otp_id)]).toEqual([
    'sms',
    [
      { channel: 'telegram', status: 'skipped', reason: 'recipient_refused' },
      { channel: 'sms', status: 'sent' },
    ],
  ]);
});

test('a channel that the credits do not suffice for is skipped for a cheaper one', async () => {
  await using priced = await testService();
  const { version, prices } = (await (await testOperator(priced)).call(getOperatorPrices)).body;
  const sends = [{ channel: 'sms', country: null, credits: 2, unit: 'request' } as const];
  const body = { ...prices, sends, version, reason: 'Dearer texts' };
  expect((await (await testOperator(priced)).call(updatePrices, { body })).status).toBe(200);
  await priced.drain();
  const poor = await sender(priced, 'Poor', { credits: 1 });
  const sent = await priced.call(sendOtp, {
    apiKey: poor.key(),
    body: { recipient: phone(), channels: ['sms', 'voice'] },
  });
  expect([sent.body.channel, await poor.balance()]).toEqual(['voice', 0]);
  expect((await poor.state(sent.body.otp_id)).steps?.[0]).toMatchObject({
    status: 'skipped',
    reason: 'insufficient_credits',
  });
});

test.each([
  ['a deleted key', 'update api_keys set deleted_at = clock_now() where id = $1'],
  ['an expired key', 'update api_keys set expires_at = clock_now() where id = $1'],
  ['a key that may no longer send', `update api_keys set scopes = '{otp:verify}' where id = $1`],
  [
    'a suspended account',
    'update accounts set suspended_at = clock_now() where id = (select account_id from api_keys where id = $1)',
  ],
])('%s starts no further step', async (_, change) => {
  const { id, key } = await service.anotherKey(alice.account_id);
  const { body } = await service.call(sendOtp, {
    apiKey: key,
    body: { recipient: phone(), channels: ['sms', 'voice'] },
  });
  await service.app.db.run(change, [id]);
  await after(61);
  await service.app.db.run('update accounts set suspended_at = null');
  expect((await steps(body.otp_id))?.at(1)).toEqual({
    channel: 'voice',
    status: 'skipped',
    reason: 'api_key_unusable',
  });
});

test('a step can start after the ten minutes in which a code can be resent', async () => {
  const { otp_id } = await planned({ expires_in: 1800, wait_seconds: 720 });
  await after(700);
  const { recipient } = await alice.state(otp_id);
  const sealed = 'select from recipients where recipient = $1 and code_sealed is not null';
  expect(await service.app.db.rows(sealed, [recipient])).toEqual([]);
  await after(30);
  expect(await steps(otp_id)).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  const [call, text] = await service.inbox(recipient);
  expect(call).toMatchObject({ channel: 'voice', code: text?.code });
  expect((await alice.verify(otp_id, text?.code)).status).toBe(200);
});

test('a repeated idempotency key gets the plan of the first request', async () => {
  const recipient = phone();
  const ask = (more: object) =>
    send({ recipient, channels: ['whatsapp'], ...more }, { 'idempotency-key': 'plan' });
  const first = await ask({});
  const reason = 'no_whatsapp';
  await noteUnreachable(service.app.db, service.app, { channel: 'whatsapp', recipient, reason });
  const again = await ask({});
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
  expect((await ask({ wait_seconds: 30 })).body).toMatchObject({ reason: 'idempotency_key_reused' });
  expect(await send({ recipient, channels: ['whatsapp'] })).toMatchObject({
    status: 400,
    body: { channels: ['No channel of the plan reaches the recipient with this text.'] },
  });
});

test('a resend with a channel that waits takes it out of the plan', async () => {
  const { otp_id } = await planned();
  const resend = () =>
    service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: { channel: 'voice' } });
  expect((await resend()).body).toMatchObject({ channel: 'voice' });
  await after(61);
  const { resends, steps: shown } = await alice.state(otp_id);
  expect([resends?.length, shown?.map(({ status }) => status)]).toEqual([1, ['sent', 'sent']]);
});

test('a plan skips WhatsApp for a text of the sender’s own and for a recipient without it, but not otherwise', async () => {
  const plan = { channels: ['whatsapp', 'sms'] };
  for (const text of [{ message: 'Shop: {code}' }, { subject: 'Your code' }]) {
    const own = await planned({ ...plan, ...text });
    expect([own.channel, (await steps(own.otp_id))?.[0]]).toEqual([
      'sms',
      { channel: 'whatsapp', status: 'skipped', reason: 'own_text' },
    ]);
  }
  const recipient = phone();
  await noteUnreachable(service.app.db, service.app, {
    channel: 'whatsapp',
    recipient,
    reason: 'no_whatsapp',
  });
  const without = await planned({ ...plan, recipient });
  expect((await steps(without.otp_id))?.[0]).toMatchObject({ status: 'skipped', reason: 'unreachable' });
  expect((await planned({ channels: ['telegram', 'sms'], recipient })).channel).toBe('telegram');
  const later = phone();
  const first = await planned({ channels: ['sms', 'whatsapp'], recipient: later });
  await noteUnreachable(service.app.db, service.app, {
    channel: 'whatsapp',
    recipient: later,
    reason: 'no_whatsapp',
  });
  await after(61);
  expect((await steps(first.otp_id))?.[1]).toMatchObject({ status: 'skipped', reason: 'unreachable' });
  expect((await planned(plan)).channel).toBe('whatsapp');
  for (const [days, channel] of [
    [2, 'sms'],
    [1, 'whatsapp'],
  ] as const) {
    await service.clock.advance(days * 86_400_000);
    expect((await planned({ ...plan, recipient })).channel).toBe(channel);
  }
});

test('plans that are looked up together each get their own recipient’s and account’s answer', async () => {
  const others = await Promise.all(
    ['Bob', 'Carla'].map((name) => sender(service, name, { credits: 100, keys: 2 })),
  );
  const [bob, carla] = others as [typeof alice, typeof alice];
  const body = { default: { channels: ['voice' as const], wait_seconds: 30 }, countries: [] };
  await service.call(updatePlans, { bearer: await signedIn(service, bob), body });
  const gone = phone();
  await noteUnreachable(service.app.db, service.app, {
    channel: 'whatsapp',
    recipient: gone,
    reason: 'no_whatsapp',
  });
  const recipients = [phone(), gone, phone()];
  const sent = await Promise.all([
    ...recipients.map((recipient) => send({ channels: ['whatsapp', 'sms'], recipient })),
    ...[carla, bob, carla].map(({ key }) =>
      service.call(sendOtp, { apiKey: key(), body: { recipient: phone(), channels: 'auto' } }),
    ),
  ]);
  expect(sent.map(({ body: { channel } }) => channel)).toEqual([
    'whatsapp',
    'sms',
    'whatsapp',
    'sms',
    'voice',
    'sms',
  ]);
});
