import {
  createCarrierSetup,
  listCarrierSetups,
  MOST_STORED_CARRIERS,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { createOperatorKey } from '@sixdigit/contract/operator/operator.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { carrierSetupStage, type NewSetup, reason } from '../../../test/carrier-setups.ts';
import { fixture } from '../../../test/fixture.ts';
import { testOperator } from '../../../test/operator.ts';
import { testService } from '../../../test/service.ts';
import { dumpTables } from '../../../test/table-dump.ts';
import { auditedFields } from './setup-fields.ts';
import { endOf } from './setups.ts';

const { service, other, olivia, oscar, alice, phone, gateway, add, setups, setup, workOnOther } =
  carrierSetupStage();

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
    [
      'a sender that is too long, and 300 for countries',
      {
        kind: 'twilio',
        account_sid: 'AC1',
        auth_token: 'token',
        from: 'Acme Company',
        senders: Array.from({ length: 300 }, () => 'SE A').join(),
      },
      {
        from: [expect.stringContaining('at most 11')],
        senders: [expect.stringContaining('at most 100')],
      },
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
      from: 'Acme',
      senders: 'US 12345, voice +12025550199',
      api_url: service.twilio.url,
      reason,
    });
    expect((await setup('twilio-eu')).sender_warnings).toEqual([
      'These countries deliver no message from a name: CA.',
    ]);
    for (const [channel, from] of [
      ['sms', '12345'],
      ['voice', '+12025550199'],
    ] as const) {
      const recipient = phone();
      const otp_id = await alice.sent(recipient, { channel });
      await service.drain();
      const message = await service.twilio.waitForMessageTo(recipient);
      expect(message.from).toBe(from);
      expect((await alice.history(otp_id)).at(-1)?.notes).toBe(`Accepted by twilio-eu from ${from}`);
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
    expect((await setup('backup-mail')).reports_problem).toBe('no_reports');
  });
});

test('the audit records no query of a field that only looks like a record', () => {
  expect(auditedFields({ from: '{x}/?key=1', name: undefined })).toEqual({ from: '{x}/?…', name: undefined });
});

test.each([
  ['0123456789abcdef', 'cdef'],
  ['0123456789abcde', null],
  [undefined, null],
])('of the secret %j, an operator sees %j', (secret, shown) => {
  expect(endOf(secret)).toBe(shown);
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
