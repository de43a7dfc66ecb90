import {
  createCarrierSetup,
  listCarrierSetups,
  MOST_STORED_CARRIERS,
  removeCarrierSetup,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { getOperatorCarriers, testCarrier, updateCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { createOperatorKey } from '@sixdigit/contract/operator/operator.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AnotherProcess, anotherProcess } from '../../../test/another-process.ts';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, type TestOperator, testOperator } from '../../../test/operator.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { dumpTables } from '../../../test/table-dump.ts';
import { testWorker } from '../../../test/worker.ts';

let service: ServiceWithCarriers;
let other: AnotherProcess;
let olivia: TestOperator;
let oscar: TestOperator;
let alice: Sender;
let count = 0;
const phone = () => `+1415555${3000 + ++count}`;
const reason = 'Set up';

beforeAll(async () => {
  service = await serviceWithCarriers(['smtp'], { EMAIL_CARRIERS: 'smtp' });
  other = await anotherProcess(service);
  olivia = await testOperator(service);
  oscar = await testOperator(service, { name: 'Oscar' });
  alice = await sender(service, 'Alice', { credits: 1_000 });
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
afterEach(async () => {
  service.http.everyone = undefined;
  for (const { name, source } of (await setups()).filter(({ is_enabled }) => is_enabled))
    if (source === 'console') await switched(name, false);
  await service.drain();
  await service.clock.advance(700_000);
  await service.drain();
  for (const { name, version, source } of await setups())
    if (source === 'console') expect((await remove(name, version)).status).toBe(200);
});

type NewSetup = Given<typeof createCarrierSetup, 'body'>;
const gateway = (more: Partial<NewSetup> = {}): NewSetup => ({
  name: 'acme',
  kind: 'http',
  channels: ['sms'],
  url: service.http.url,
  secret: service.http.secret,
  reason,
  ...more,
});
const add = (body: NewSetup, by = olivia) => by.call(createCarrierSetup, { body });
const setups = async () => (await olivia.call(listCarrierSetups)).body.setups;
const setup = async (name = 'acme') => {
  const found = (await setups()).find((one) => one.name === name);
  if (!found) throw new Error(`No carrier ${name}`);
  return found;
};
const change = (body: Partial<Given<typeof updateCarrierSetup, 'body'>> & { version: number }, by = olivia) =>
  by.call(updateCarrierSetup, {
    params: { name: 'acme' },
    body: { channels: ['sms'], is_enabled: true, url: service.http.url, reason, ...body },
  });
/** Turns a carrier on or off and changes nothing else. */
async function switched(name: string, is_enabled: boolean) {
  const { fields, channels, version } = await setup(name);
  const values = Object.fromEntries(
    fields.flatMap((field) => (field.value ? [[field.name, field.value]] : [])),
  );
  const body = { ...values, channels, is_enabled, version, reason };
  const { status } = await olivia.call(updateCarrierSetup, { params: { name }, body });
  expect(status).toBe(200);
}
const remove = (name: string, version: number) =>
  olivia.call(removeCarrierSetup, { params: { name }, body: { version, reason } });
/** Runs the jobs of the other process once, as its loops do. */
const workOnOther = async () => {
  for (const job of other.jobs) {
    while (await job.run(testWorker(other.app.random.uuid())));
    await job.idle?.();
  }
};

describe('adding a carrier', () => {
  test('a carrier that an operator adds delivers the next code, and its reports count, without a restart', async () => {
    expect((await add(gateway())).status).toBe(201);
    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    await service.drain();
    const message = await service.http.waitForMessageTo(recipient);
    expect(new URL(message.status_url ?? '').pathname).toBe('/api/v1/carriers/acme/status/');
    expect(await service.http.report(message, 'delivered')).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
    expect(await service.http.report(message, 'failed', { forged: true })).toBe(404);
    const stop = { from: recipient, text: 'STOP' };
    const inbound = (await setup()).inbound_url ?? '';
    expect(await service.http.text(inbound, stop, { forged: true })).toBe(404);
    expect(await service.http.text(inbound, stop)).toBe(200);
    expect((await alice.send(recipient)).body).toMatchObject({ reason: 'recipient_opted_out' });
  });

  test('a carrier that one process adds is used by every other process', async () => {
    await other.app.live.refresh();
    expect(other.app.carriers.find('acme')).toBeUndefined();
    await add(gateway());
    const recipient = phone();
    await alice.sent(recipient);
    await workOnOther();
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
  });

  test('a process that starts later uses the carriers of the console', async () => {
    await add(gateway());
    await using later = await anotherProcess(service);
    expect(later.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['acme']);
  });

  test('a carrier’s secret is stored encrypted, and neither responses, audit nor log contain it', async () => {
    const { body } = await add(gateway());
    const secret = body.setups
      .find(({ name }) => name === 'acme')
      ?.fields.find(({ name }) => name === 'secret');
    const { secret: text } = service.http;
    expect(secret).toEqual({
      name: 'secret',
      value: null,
      is_set: true,
      last4: text.slice(-4),
      setting: null,
    });
    expect(JSON.stringify(body)).not.toContain(text);
    for (const { table, text: rows } of await dumpTables(service.app.db))
      expect(rows, table).not.toContain(text);
    expect(service.logLines.join('\n')).not.toContain(text);
  });

  test('of many operators who add a carrier of one name at once, one succeeds', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 6 }, (_, n) => add(gateway(), n % 2 ? olivia : oscar)),
    );
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect((await setups()).filter(({ name }) => name === 'acme')).toHaveLength(1);
  });

  test('a deployment has at most twenty carriers of the console, also if many are added at once', async () => {
    const names = Array.from({ length: MOST_STORED_CARRIERS + 3 }, (_, n) => `gateway-${n}`);
    const answers = await Promise.all(names.map((name) => add(gateway({ name, is_enabled: false }))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST_STORED_CARRIERS);
    expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject({
      name: [expect.stringContaining('already 20 carriers')],
    });
  });

  test.each<[string, Partial<NewSetup>, object]>([
    ['no secret', { secret: '' }, { secret: ['This field is required.'] }],
    ['a short secret', { secret: 'short' }, { secret: [expect.stringContaining('at least 16 bytes')] }],
    ['no URL', { url: undefined }, { url: ['This field is required.'] }],
    ['an FTP address', { url: 'ftp://x.example' }, { url: [expect.stringContaining('https:// or http://')] }],
    ['a reserved name', { name: 'twilio' }, { name: [expect.stringContaining('Choose another one')] }],
    ['a name with a slash', { name: '../x' }, { name: [expect.stringContaining('lower-case letters')] }],
    ['no channel', { channels: [] }, { channels: ['Choose at least one channel'] }],
    ['no reason', { reason: ' ' }, { reason: ['Please enter a reason'] }],
    [
      'an SMTP carrier for SMS',
      { kind: 'smtp', host: 'mail.example.com', encryption: 'tls', from: 'a@example.com' },
      { channels: ['SMTP does not serve SMS.'] },
    ],
    [
      'an unknown encryption and a URL as host',
      { kind: 'smtp', channels: ['email'], host: 'smtp://x', encryption: 'ssl', from: 'a@example.com' },
      {
        encryption: [expect.stringContaining('starttls, tls')],
        host: [expect.stringContaining('host name')],
      },
    ],
    [
      'a port out of range, a sender that is not an address and a user without a password',
      {
        kind: 'smtp',
        channels: ['email'],
        host: 'mail.example.com',
        encryption: 'tls',
        port: '70000',
        from: 'nobody',
        username: 'acme',
      },
      {
        port: [expect.stringContaining('65535')],
        from: [expect.stringContaining('email address')],
        password: ['Enter the password of this user.'],
      },
    ],
    [
      'calls from a messaging service',
      {
        kind: 'twilio',
        channels: ['voice'],
        account_sid: 'AC1',
        auth_token: 'token',
        from: `MG${'0'.repeat(32)}`,
      },
      { channels: [expect.stringContaining('Calls need a sender that is a number')] },
    ],
  ])('a carrier with %s is refused with a sentence at the field', async (_, more, errors) => {
    const { status, body } = await add(gateway(more));
    expect(status).toBe(400);
    expect(body).toMatchObject(errors);
  });
});

describe('the other kinds', () => {
  test('a Twilio carrier of the console sends SMS and calls, and its signed reports count', async () => {
    await add({
      name: 'twilio-eu',
      kind: 'twilio',
      channels: ['sms', 'voice'],
      account_sid: service.twilio.accountSid,
      auth_token: service.twilio.authToken,
      from: '+12025550199',
      api_url: service.twilio.url,
      reason,
    });
    for (const channel of ['sms', 'voice'] as const) {
      const recipient = phone();
      const otp_id = await alice.sent(recipient, { channel });
      await service.drain();
      const message = await service.twilio.waitForMessageTo(recipient);
      expect(await service.twilio.report(message, channel === 'sms' ? 'delivered' : 'completed')).toBe(204);
      expect((await alice.state(otp_id)).delivered_at).not.toBeNull();
    }
  });

  test('an SMTP carrier of the console sends mail under its own sender name', async () => {
    const { hostname, port } = new URL(service.smtp.url);
    await add({
      name: 'backup-mail',
      kind: 'smtp',
      channels: ['email'],
      host: hostname,
      port,
      encryption: 'starttls',
      from: 'Backup <backup@sixdigit.test>',
      reason,
    });
    const { body } = await olivia.call(testCarrier, {
      params: { name: 'backup-mail' },
      body: { channel: 'email', recipient: 'olivia@example.com' },
    });
    expect(body).toMatchObject({ outcome: 'accepted' });
    const mail = await service.smtp.waitForMailTo('olivia@example.com');
    expect(mail.from).toMatchObject({ name: 'Backup', address: 'backup@sixdigit.test' });
  });
});

describe('changing a carrier', () => {
  test('a replaced secret signs the next message, and a message in flight ends with the old one', async () => {
    await add(gateway({ secret: 'an outdated secret of the gateway' }));
    service.http.everyone = 'slow';
    const { version } = await setup();
    const refused = olivia.call(testCarrier, {
      params: { name: 'acme' },
      body: { channel: 'sms', recipient: phone() },
    });
    expect((await refused).body).toMatchObject({ outcome: 'refused', words: '{"reason":"bad_signature"}' });
    const { status } = await change({ version, secret: service.http.secret });
    expect(status).toBe(200);
    const recipient = phone();
    await alice.sent(recipient);
    const dispatching = service.drain();
    await service.http.waitForMessageTo(recipient);
    const again = await setup();
    expect((await change({ version: again.version, secret: 'the next secret of the gateway' })).status).toBe(
      200,
    );
    await dispatching;
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'carrier.change',
      after: { secrets_replaced: ['secret'] },
    });
  });

  test('an empty secret keeps the stored one', async () => {
    await add(gateway());
    const { version } = await setup();
    expect((await change({ version, channels: ['sms', 'voice'], secret: '' })).status).toBe(200);
    const recipient = phone();
    await alice.sent(recipient, { channel: 'voice' });
    await service.drain();
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
  });

  test('a stored token is not sent to another address: its operator must enter it again', async () => {
    await add({
      name: 'acme',
      kind: 'twilio',
      channels: ['sms'],
      account_sid: 'AC1',
      auth_token: 'the token of the account',
      from: '+12025550199',
      reason,
    });
    const { version } = await setup();
    const moved = { version, account_sid: 'AC1', from: '+12025550199', api_url: service.twilio.url };
    const { status, body } = await change(moved);
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ auth_token: [expect.stringContaining('Enter it again')] }),
    ]);
    expect((await change({ ...moved, auth_token: 'the token of the account' })).status).toBe(200);
  });

  test('of operators who change a carrier at once, one succeeds, and the others learn that it has changed', async () => {
    await add(gateway());
    const { version } = await setup();
    const answers = await Promise.all(
      [olivia, oscar, olivia, oscar].map((by) => change({ version, channels: ['sms', 'email'] }, by)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ reason: 'changed_meanwhile' });
    expect((await setup()).version).toBe(version + 1);
  });

  test('a carrier that is turned off gets no more messages, and the channel uses the others', async () => {
    await add(gateway());
    await add(gateway({ name: 'second', channels: ['sms'] }));
    await switched('acme', false);
    expect(service.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
    await other.app.live.refresh();
    expect(other.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
  });

  test('the order and the pauses of the console apply to its own carriers too', async () => {
    await add(gateway());
    await add(gateway({ name: 'second' }));
    await olivia.call(updateCarrier, {
      params: { name: 'second' },
      body: { channel: 'sms', position: 1, reason },
    });
    await olivia.call(updateCarrier, {
      params: { name: 'acme' },
      body: { channel: 'sms', is_paused: true, reason },
    });
    const { body } = await olivia.call(getOperatorCarriers);
    const sms = body.channels.find(({ channel }) => channel === 'sms');
    expect(sms?.carriers.map(({ name, is_paused }) => [name, is_paused])).toEqual([
      ['second', false],
      ['acme', true],
    ]);
  });

  test('credentials that cannot be decrypted stop only their carrier, and an operator can enter them again', async () => {
    await add(gateway());
    await add(gateway({ name: 'second' }));
    await service.app.db.run(`update stored_carriers set sealed = '\\x00' where name = 'acme'`);
    await using later = await anotherProcess(service);
    expect(later.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
    expect(service.logLines.join('\n')).toContain('the credentials of a carrier cannot be opened');
    const { problem, version } = await setup();
    expect(problem).toContain('SECRET_KEY');
    expect((await change({ version })).body).toMatchObject({ secret: ['This field is required.'] });
    expect((await change({ version, secret: service.http.secret })).status).toBe(200);
    await later.app.live.refresh();
    expect(later.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['acme', 'second']);
  });

  test('a carrier of a kind that only a newer version knows is neither used nor shown', async () => {
    await add(gateway({ name: 'unknown-kind' }));
    await service.app.db.run(`update stored_carriers set kind = 'unknown' where name = 'unknown-kind'`);
    await using later = await anotherProcess(service);
    expect(later.app.carriers.find('unknown-kind')).toBeUndefined();
    expect((await setups()).map(({ name }) => name)).not.toContain('unknown-kind');
    await service.app.db.run(`delete from stored_carriers where name = 'unknown-kind'`);
  });

  test('an unknown carrier and one of the environment cannot be changed', async () => {
    for (const name of ['smtp', 'nothing']) {
      const body = { channels: ['sms' as const], is_enabled: true, version: 0, reason };
      expect((await olivia.call(updateCarrierSetup, { params: { name }, body })).status).toBe(404);
      expect((await remove(name, 0)).status).toBe(404);
    }
  });
});

describe('deleting a carrier', () => {
  test('a carrier cannot be deleted while it is on, while messages in flight need it, or a moment after', async () => {
    await add(gateway());
    const first = await setup();
    expect((await remove('acme', first.version)).body).toMatchObject({
      name: [expect.stringContaining('Turn the carrier off first')],
    });
    // The response is lost, so the message waits for a report at this carrier.
    service.http.everyone = 'reset';
    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    await service.drain();
    const message = await service.http.waitForMessageTo(recipient);
    await switched('acme', false);
    const { version } = await setup();
    expect((await remove('acme', version)).body).toMatchObject({
      name: ['1 message in flight still needs this carrier. Delete it when they have ended.'],
    });
    service.http.everyone = undefined;
    expect(await service.http.report(message, 'delivered')).toBe(204);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect((await remove('acme', version)).body).toMatchObject({
      name: [expect.stringContaining('turned off a moment ago')],
    });
    await service.clock.advance(16_000);
    expect((await remove('acme', version)).status).toBe(200);
    expect((await setups()).map(({ name }) => name)).toEqual(['smtp']);
    await other.app.live.refresh();
    expect(other.app.carriers.find('acme')).toBeUndefined();
  });

  test('a carrier that another operator has just changed is not deleted', async () => {
    await add(gateway());
    const { version } = await setup();
    await switched('acme', false);
    const body = { version, reason };
    const answer = await oscar.call(removeCarrierSetup, { params: { name: 'acme' }, body });
    expect(answer).toMatchObject({ status: 409, body: { reason: 'changed_meanwhile' } });
  });

  test('after a carrier is turned off, a message that it may have is dispatched to it once more, and to no other', async () => {
    await add(gateway());
    service.http.everyone = 'lose';
    const recipient = phone();
    await alice.sent(recipient);
    await service.drain();
    await add(gateway({ name: 'second' }));
    await switched('acme', false);
    service.http.everyone = undefined;
    await service.clock.advance(11_000);
    await service.drain();
    const [message, ...more] = service.http.messagesTo(recipient);
    expect(more).toEqual([]);
    expect(message?.status_url).toContain('/carriers/acme/status/');
  });

  test('a new carrier does not inherit the routes of a deleted one with its name', async () => {
    await add(gateway());
    const body = { channel: 'sms' as const, is_paused: true, reason };
    await olivia.call(updateCarrier, { params: { name: 'acme' }, body });
    await olivia.call(updateCarrier, { params: { name: 'acme' }, body: { ...body, country: 'DE' } });
    await switched('acme', false);
    await service.clock.advance(16_000);
    expect((await remove('acme', (await setup()).version)).status).toBe(200);
    await add(gateway());
    const sms = (await olivia.call(getOperatorCarriers)).body.channels.find(
      ({ channel }) => channel === 'sms',
    );
    expect(sms?.carriers).toMatchObject([{ name: 'acme', is_paused: false }]);
    expect(sms?.countries).toEqual([]);
  });
});

describe('testing a carrier', () => {
  const tested = (name = 'acme', recipient = phone()) =>
    olivia.call(testCarrier, { params: { name }, body: { channel: 'sms', recipient } });

  test('a carrier is tested before it is turned on, and the result is the carrier’s own', async () => {
    await add(gateway({ is_enabled: false }));
    const before = await alice.balance();
    expect((await tested()).body).toMatchObject({ outcome: 'accepted', words: null });
    service.http.everyone = 'invalid';
    expect((await tested()).body).toMatchObject({
      outcome: 'refused',
      reason: 'invalid_recipient',
      words: '{"reason":"invalid_recipient"}',
    });
    service.http.everyone = 'reset';
    expect((await tested()).body).toMatchObject({ outcome: 'uncertain', reason: 'carrier_reset' });
    expect(await alice.balance()).toBe(before);
    expect((await auditOf(service)).filter(({ action }) => action === 'carrier.test')).not.toEqual([]);
  });

  test('a carrier’s error text appears neither in logs nor in lists of errors', async () => {
    await add(gateway());
    service.http.everyone = 'echo';
    const recipient = phone();
    const { body } = await tested('acme', recipient);
    expect(body.words).toContain(recipient);
    await service.app.activity.flush();
    const { errors } = (await olivia.call(getOperatorCarriers)).body;
    expect(JSON.stringify(errors)).not.toContain(recipient);
    expect(service.logLines.join('\n')).not.toContain(recipient);
  });

  test('an operator can send twenty test messages in an hour, also in parallel', async () => {
    await service.clock.advance(3_700_000);
    await add(gateway());
    const answers = await Promise.all(Array.from({ length: 23 }, () => tested()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ reason: 'too_many_requests' });
  });
});

test('the environment’s carriers are shown with their settings, without their secrets', async () => {
  const smtp = await setup('smtp');
  expect(smtp).toMatchObject({ source: 'environment', is_enabled: true, version: 0, channels: ['email'] });
  expect(smtp.fields).toContainEqual({
    name: 'from',
    value: 'Codes <codes@sixdigit.test>',
    is_set: true,
    last4: null,
    setting: 'EMAIL_FROM',
  });
});

test('only an admin’s session can add a carrier: support operators, operator keys and customers cannot', async () => {
  const sam = await testOperator(service, { role: 'support', name: 'Sam' });
  expect((await add(gateway(), sam)).body).toMatchObject({ reason: 'operator_role_required' });
  expect((await sam.call(listCarrierSetups)).status).toBe(200);
  const { body } = await olivia.call(createOperatorKey, {
    body: { name: 'Automation', scopes: ['carriers:read', 'carriers:write'], expires_in_days: 1 },
  });
  const byKey = await service.call(createCarrierSetup, { bearer: body.key, body: gateway() });
  expect(byKey.body).toMatchObject({ reason: 'operator_scope_required' });
  expect((await service.call(createCarrierSetup, { body: gateway() })).status).toBe(404);
  expect((await setups()).map(({ name }) => name)).toEqual(['smtp']);
});

describe('on a deployment that others can reach', () => {
  const online = fixture(() =>
    testService({
      isPublic: true,
      env: { PUBLIC_URL: 'https://otp.sixdigit.test', SANDBOX: '0' },
    }),
  );
  const root = fixture(async () => {
    const operator = await testOperator(online, { name: 'Root' });
    await online.app.db.run('update people set two_factor_enabled = true where id = $1', [
      operator.account_id,
    ]);
    return operator;
  });
  const sandbox = fixture(() =>
    testService({ isPublic: true, env: { PUBLIC_URL: 'https://otp.sixdigit.test' } }),
  );

  test.each<[keyof NewSetup, Partial<NewSetup>]>([
    ...[
      'http://gateway.example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:10.0.0.1]/',
      'https://metadata.google.internal/',
      'https://user:secret@gateway.example.com/',
    ].map((url): ['url', Partial<NewSetup>] => ['url', { url }]),
    ...['127.0.0.1', 'localhost', '10.1.2.3', '::1', 'mail.local'].map(
      (host): ['host', Partial<NewSetup>] => [
        'host',
        { kind: 'smtp', channels: ['email'], host, encryption: 'tls', from: 'a@example.com' },
      ],
    ),
    [
      'api_url',
      {
        kind: 'twilio',
        account_sid: 'AC1',
        auth_token: 'token',
        from: '+12025550199',
        api_url: 'https://192.168.0.1',
      },
    ],
  ])('the %s of a carrier may not lead into the network: %j', async (field, more) => {
    const { status, body } = await root.call(createCarrierSetup, { body: gateway(more) });
    expect([status, Object.keys(body)]).toEqual([400, expect.arrayContaining([field])]);
  });

  test('an operator must prove their identity before adding a carrier', async () => {
    await online.app.db.run(`update sessions set proven_at = clock_now() - interval '15 minutes'`);
    const { body } = await online.call(createCarrierSetup, { bearer: root.bearer, body: gateway() });
    expect(body).toMatchObject({ reason: 'step_up_required' });
  });

  test('test cards never pay for real messages: a public sandbox takes no carrier', async () => {
    const operator = await testOperator(sandbox);
    const { status, body } = await operator.call(createCarrierSetup, {
      body: gateway({ url: 'https://gateway.example.com/' }),
    });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ kind: [expect.stringContaining('test cards')] }),
    ]);
  });
});
