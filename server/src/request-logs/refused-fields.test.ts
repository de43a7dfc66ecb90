import { createConnection } from '@sixdigit/contract/connections.ts';
import { getRecipient } from '@sixdigit/contract/recipients.ts';
import { exportRequestLogs, listRequestLogs, RequestLog } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { viewerMaskOf } from '../platform/http/viewer-masks.ts';
import { refusedFields } from './refused-fields.ts';

const service = fixture(() => serviceWithCarriers(['http']));
const alice = fixture(() => sender(service, 'Alice', { keys: 10, scopes: ['verify_services:write'] }));
const bearer = fixture(async () => ({ of: await signedIn(service, alice) }));
const twilio = fixture(async () => {
  const made = await twilioPost('/v2/Services', { FriendlyName: 'Shop' });
  return { path: `/v2/Services/${made.json().sid}` };
});
const connection = fixture(async () => {
  const body = { system: 'webhook', name: 'Own' } as const;
  return { ...(await service.call(createConnection, { bearer: bearer.of, body })).body };
});

const POST = { method: 'POST' } as const;
const native = (call: string, payload: unknown) =>
  service.inject({
    ...POST,
    url: `/api/v1/otp/${call}/`,
    headers: { 'x-api-key': alice.key(), 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
const twilioPost = (path: string, fields: Record<string, string>) =>
  service.inject({
    ...POST,
    url: `/compat/twilio${path}`,
    headers: {
      authorization: `Basic ${Buffer.from(`AC${alice.account_id.replaceAll('-', '')}:${alice.key()}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams(fields).toString(),
  });
const camara = (call: string, payload: object) =>
  service.inject({
    ...POST,
    url: `/compat/camara/one-time-password-sms/v1/${call}`,
    headers: { authorization: `Bearer ${alice.key()}` },
    payload,
  });
const connected = async (payload: object) => {
  const body = JSON.stringify(payload);
  const { signedHeaders } = await import('../platform/signing/standard-webhooks.ts');
  const message = { id: `msg_${service.app.random.uuid()}`, at: service.app.clock.now(), body };
  return service.inject({
    ...POST,
    url: `/api/v1/in/${connection.id}/sms`,
    headers: { 'content-type': 'application/json', ...signedHeaders(message, [connection.secret]) },
    payload: body,
  });
};

async function newest(query: Record<string, unknown> = {}) {
  await service.app.requestLog.flush();
  const { body } = await service.call(listRequestLogs, {
    bearer: bearer.of,
    query: { page_size: 1, ...query } as never,
  });
  return body.results[0];
}

const NUMBER = 'Enter a valid phone number, such as +14155552671.';
const COUNTRY = 'Phone numbers of this country are not allowed on this service.';
const E164 = 'must be a phone number in E.164 or an email address';

type Expected = [
  recipient: string | null,
  ...fields: (readonly [field: string, message: string, value: string | null])[],
];

test.each<[string, () => Promise<unknown>, Expected]>([
  [
    'a country that is off',
    () => native('send', { channel: 'sms', recipient: '+4915112345678' }),
    ['+4915112345678', ['recipient', COUNTRY, null]],
  ],
  [
    'a premium number',
    () => native('send', { channel: 'sms', recipient: '+19005550123' }),
    ['+19005550123', ['recipient', 'This kind of phone number cannot receive codes.', null]],
  ],
  [
    'a number that is not assigned',
    () => native('send', { channel: 'sms', recipient: '+14150000000' }),
    ['+14150000000', ['recipient', NUMBER, null]],
  ],
  [
    'a malformed number',
    () => native('send', { channel: 'sms', recipient: '+14155' }),
    [null, ['recipient', NUMBER, '+1415•']],
  ],
  [
    'a malformed address',
    () => native('send', { channel: 'email', recipient: 'jane.doe@example' }),
    [null, ['recipient', 'Enter a valid email address.', 'jane.•••@•••••••']],
  ],
  [
    'no recipient',
    () => native('send', { channel: 'sms' }),
    [null, ['recipient', 'This field is required.', null]],
  ],
  [
    'a list',
    () => native('send', { channel: 'sms', recipient: ['+14155552671'] }),
    [null, ['recipient', expect.any(String), '[…]']],
  ],
  [
    'no fields',
    () => native('send', {}),
    [null, ['recipient', 'This field is required.', null], ['channel', 'This field is required.', null]],
  ],
  [
    'a channel',
    () => native('send', { channel: 'pigeon', recipient: '+14155552671' }),
    ['+14155552671', ['channel', expect.stringContaining('Channel must be'), 'pigeon']],
  ],
  [
    'an expiry',
    () => native('send', { channel: 'sms', recipient: '+14155552671', expires_in: 59 }),
    ['+14155552671', ['expires_in', 'Expiry time must be at least 60 seconds', '59']],
  ],
  [
    'numbers and a purpose',
    () =>
      native('send', {
        channels: ['sms'],
        recipient: '+14155552671',
        wait_seconds: 5,
        code_length: 3,
        purpose: 'Sign in',
      }),
    [
      '+14155552671',
      ['code_length', 'Code length must be a whole number from 4 to 10.', '3'],
      ['purpose', 'Purpose must be 1 to 32 of a-z, 0-9, _ and -.', 'Sign in'],
      ['wait_seconds', 'Wait must be a whole number of seconds from 15 to 900.', '5'],
    ],
  ],
  [
    'a text with a code in it',
    () => native('send', { channel: 'sms', recipient: '+14155552671', message: 'Your code is 471108' }),
    ['+14155552671', ['message', expect.stringContaining('{code}'), null]],
  ],
  [
    'a code of the caller',
    () => native('send', { channel: 'sms', recipient: '+14155552671', code: 'a-secret' }),
    ['+14155552671', ['code', expect.any(String), null]],
  ],
  [
    'a code with letters',
    async () => native('verify', { otp_id: await alice.sent('+14155550170'), code: 'ABCDEF' }),
    ['+14155550170', ['code', 'Code must be 6 digits.', null]],
  ],
  ['a body that is a list', () => native('send', []), [null, ['body', 'Send a JSON object.', null]]],
  [
    'Twilio: a malformed number',
    () => twilioPost(`${twilio.path}/Verifications`, { To: '+14155', Channel: 'sms' }),
    [null, ['To', `Invalid parameter \`To\`: ${E164}`, '+1415•']],
  ],
  [
    'Twilio: a channel',
    () => twilioPost(`${twilio.path}/Verifications`, { To: '+14155552671', Channel: 'fax' }),
    [null, ['Channel', expect.any(String), 'fax']],
  ],
  [
    'Twilio: a country that is off',
    () => twilioPost(`${twilio.path}/Verifications`, { To: '+4915112345678', Channel: 'sms' }),
    ['+4915112345678', ['recipient', COUNTRY, null]],
  ],
  [
    'CAMARA: a malformed number',
    () => camara('send-code', { phoneNumber: '4155552671', message: '{{code}}' }),
    [null, ['phoneNumber', expect.stringContaining('E.164'), '4155••••••']],
  ],
  [
    'CAMARA: a text without a place',
    () => camara('send-code', { phoneNumber: '+14155552671', message: 'Code 471108' }),
    [null, ['message', expect.any(String), null]],
  ],
  [
    'CAMARA: a country that is off',
    () => camara('send-code', { phoneNumber: '+4915112345678', message: '{{code}}' }),
    ['+4915112345678', ['recipient', COUNTRY, null]],
  ],
  [
    'a connection: a malformed number',
    () => connected({ recipient: '+14155', code: '424242' }),
    [null, ['recipient', NUMBER, '+1415•']],
  ],
  [
    'a connection: an expiry',
    () => connected({ recipient: '+14155552671', code: '424242', expires_in: 59 }),
    ['+14155552671', ['expires_in', 'Expiry time must be at least 60 seconds', '59']],
  ],
  [
    'a connection: no number',
    () => connected({ code: '424242' }),
    [null, ['recipient', 'This field is required.', null]],
  ],
])('the log names the field of a refused request: %s', async (_, request, [recipient, ...fields]) => {
  await service.clock.advance(1_000);
  await request();
  const row = await newest();
  expect(row?.otp?.recipient ?? null).toBe(recipient);
  expect(row?.refused_fields).toEqual(fields.map(([field, message, value]) => ({ field, message, value })));
  // The value is nowhere else either.
  expect(JSON.stringify(row)).not.toMatch(/471108|a-secret|ABCDEF|424242|jane\.doe/);
});

test('the export, the search and the history of a recipient have the field and its sentence', async () => {
  await service.clock.advance(1_000);
  await native('send', { channel: 'sms', recipient: '+4915112345678' });
  await native('send', { channel: 'sms', recipient: '+14155' });
  await service.app.requestLog.flush();
  for (const search of ['phone numbers of this country', 'RECIPIENT: phone', 'recipient: Enter'])
    expect((await newest({ search }))?.reason, search).toBe('invalid_fields');
  expect(await newest({ search: 'this carrier' })).toBeUndefined();
  // A number in a sentence is an example.
  expect((await newest({ search: '+14155552671' }))?.refused_fields?.[0]?.message).not.toBe(NUMBER);
  const csv = await service.call(exportRequestLogs, { bearer: bearer.of, query: { created_after: '1' } });
  expect(csv.body.text).toContain(`recipient: ${NUMBER} (+1415•)`);
  const { body } = await service.call(getRecipient, {
    bearer: bearer.of,
    query: { recipient: '+4915112345678' },
  });
  expect(body.results[0]?.refusal?.refused_fields).toEqual([
    { field: 'recipient', message: COUNTRY, value: null },
  ]);
});

test('a viewer gets the sentence whole and no recipient', () => {
  const value = 'jane•••••••••••••• +14155552671';
  const shown = viewerMaskOf(RequestLog)({
    refused_fields: [{ field: 'recipient', message: NUMBER, value }],
  }) as RequestLog;
  expect(shown.refused_fields?.[0]).toMatchObject({ field: 'recipient', message: NUMBER });
  expect(shown.refused_fields?.[0]?.value).not.toContain('5552671');
});

test('whatever a request contains, its stored values are short and hold no secret', () => {
  const given = {
    recipient: `\0\ud800${'9'.repeat(400)}`,
    channel: 'sd_live_0123456789',
    code: '900900',
    message: 'PIN 900900',
    metadata: { secret: 'x' },
    purpose: 'SECRET',
  };
  const fields = Object.fromEntries(Object.keys(given).map((name) => [name, ['Not 900900.']]));
  for (const name of Object.keys(given)) {
    const [stored] = refusedFields({ [name]: fields[name] ?? [] }, { given, recipient: null });
    expect(stored?.message).toBe('Not •••.');
    expect([...(stored?.value ?? '')].length).toBeLessThanOrEqual(40);
    expect(JSON.stringify(stored)).not.toMatch(/99999|56789|900900|SECRET|\\u0000|\\ud800/);
  }
  expect(refusedFields(fields, { given, recipient: null })).toHaveLength(3);
});
