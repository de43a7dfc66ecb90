import { sendOtp } from '@sixdigit/contract/otp.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

test('20 spellings of one phone number count as one recipient', async () => {
  const spellings = [
    '+14155552300',
    '4155552300',
    '14155552300',
    '(415) 555-2300',
    '415-555-2300',
    '415.555.2300',
    '415 555 2300',
    '+1 415 555 2300',
    '+1 (415) 555-2300',
    '+1-415-555-2300',
    '1-415-555-2300',
    '1 (415) 555 2300',
    '  4155552300  ',
    '(415)5552300',
    '+1.415.555.2300',
    '４１５５５５２３００',
    '٤١٥٥٥٥٢٣٠٠',
    '+1\u00a0415\u00a0555\u00a02300',
    '+1 415‑555‑2300',
    '\u202a+14155552300\u202c',
    '0014155552300'.replace(/^00/, '+'),
  ];
  const answers = [];
  for (const spelling of spellings) answers.push(await alice.send(spelling, { channel: 'sms' }));
  expect(answers.slice(0, 5).map(({ status, body }) => [status, body.recipient])).toEqual(
    Array.from({ length: 5 }, () => [201, '+14155552300']),
  );
  expect(answers.slice(5).map(({ status }) => status)).toEqual(spellings.slice(5).map(() => 429));
});

test('an e-mail address in any letter case counts as one recipient', async () => {
  const { body } = await alice.send('  Reader.One@Example.COM ');
  expect(body.recipient).toBe('reader.one@example.com');
});

test.each([
  ['a premium number', '+1 900 555 0123', 'This kind of phone number cannot receive codes.'],
  ['a British number', '+44 7400 123456', 'Phone numbers of this country are not allowed on this service.'],
  [
    'a Bahamian +1 number',
    '+1 242 357 1234',
    'Phone numbers of this country are not allowed on this service.',
  ],
  ['a test number', '+1 500 555 0001', 'This number works with test keys only.'],
  ['a satellite phone', '+870 773 123456', 'This kind of phone number cannot receive codes.'],
  ['too short a number', '+1 415 555', 'Enter a valid phone number, such as +14155552671.'],
  ['an area code that is none', '+1 055 555 0123', 'Enter a valid phone number, such as +14155552671.'],
  ['letters', '+1 415 CALL ME', 'Enter a valid phone number, such as +14155552671.'],
  ['an extension', '+1 415 555 2671 ext 5', 'Enter a valid phone number, such as +14155552671.'],
  ['an address', 'reader@example.com', 'Enter a valid phone number, such as +14155552671.'],
])('a recipient is refused for SMS, without a charge: %s', async (_what, recipient, message) => {
  const before = await alice.balance();
  for (const channel of ['sms', 'voice']) {
    const answer = await alice.send(recipient, { channel });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ recipient: [message] });
  }
  expect(await alice.balance()).toBe(before);
});

test.each([
  '+14155552671',
  'nobody',
  'a@b',
  'a b@example.com',
  'a@example.com\r\nBcc: b@example.com',
  '@example.com',
])('a recipient is refused for e-mail: %j', async (recipient) => {
  const answer = await alice.send(recipient, { channel: 'email' });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ recipient: ['Enter a valid email address.'] });
});

test('Canadian numbers are allowed by default, and * allows every country except for premium numbers', async () => {
  await alice.sent('+1 604 555 0123', { channel: 'sms' });
  await using world = await testService({ env: { ALLOWED_COUNTRIES: '*', DEFAULT_REGION: 'DE' } });
  const dora = await sender(world, 'Dora');
  expect((await dora.send('0151 23456789', { channel: 'sms' })).body.recipient).toBe('+4915123456789');
  expect((await dora.send('+44 7400 123456', { channel: 'sms' })).status).toBe(201);
  for (const costly of ['+1 900 555 0123', '+44 9098 790000', '+49 900 1234567'])
    expect((await dora.send(costly, { channel: 'sms' })).body).toEqual({
      recipient: ['This kind of phone number cannot receive codes.'],
    });
});

test('personal numbers and numbers without a country get no code, even if every country is allowed', async () => {
  await using world = await testService({ env: { ALLOWED_COUNTRIES: '*' } });
  const dora = await sender(world, 'Dora', { keys: 4 });
  for (const number of [
    '+44 70 1234 5678',
    '+1 500 234 5678',
    '+1 533 234 5678',
    '+870 773 123456',
    '+881 612 345 678',
    '+882 16 1234 5678',
    '+883 100 12345',
    '+883 5100 1234 5678',
    '+888 123 456 78901',
    '+979 123 456 789',
  ])
    for (const channel of ['sms', 'voice']) {
      const { status, body } = await dora.send(number, { channel });
      expect([number, status, body]).toEqual([
        number,
        400,
        { recipient: ['This kind of phone number cannot receive codes.'] },
      ]);
    }
  expect(await dora.balance()).toBe(100);
  await dora.sent('+44 7400 123456', { channel: 'sms' });
});

let count = 0;
const fresh = () => `reader-${++count}@example.com`;

describe('the validation of a send', () => {
  test('a send without required fields gets the documented errors', async () => {
    const empty: Record<string, unknown>[] = [{}, { channel: null, recipient: null }, { recipient: '' }];
    for (const body of empty) {
      const answer = await service.call(sendOtp, { apiKey: alice.key(), body });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        channel: ['This field is required.'],
        recipient: ['This field is required.'],
      });
    }
  });

  test.each([
    [{ channel: 'fax' }, { channel: ['Channel must be sms, voice, email, whatsapp or telegram.'] }],
    [{ expires_in: 59 }, { expires_in: ['Expiry time must be at least 60 seconds'] }],
    [{ expires_in: 3601 }, { expires_in: ['Expiry time must be at most 3600 seconds (1 hour)'] }],
    [{ expires_in: 60.5 }, { expires_in: ['Expiry time must be a whole number of seconds'] }],
    [{ expires_in: '300' }, { expires_in: ['Expiry time must be a whole number of seconds'] }],
    [{ message: 'no code' }, { message: ['Message template must include {code} placeholder'] }],
    [{ message: '{code}\0' }, { message: ['Message must not contain control characters'] }],
    [{ message: '{code}\ud800' }, { message: ['Message must be valid Unicode text'] }],
    [{ message: `{code}${'x'.repeat(1000)}` }, { message: ['Message must be at most 1000 characters'] }],
    [{ subject: 'ab' }, { subject: ['Subject must be at least 3 characters'] }],
    [
      { subject: 'Hello\r\nBcc: eve@example.com' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
    [
      { subject: 'Hello\nthere' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
    [{ subject: 'Hello\0' }, { subject: ['Subject must be a single line without invisible characters'] }],
    [
      { subject: 'Hello\u0085there' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
    [
      { subject: 'Hello \udfff' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
    [
      { subject: 'Hello \u202eedoc' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
    [
      { subject: 'Hello\u2028there' },
      { subject: ['Subject must be a single line without invisible characters'] },
    ],
  ])('a send refuses %j', async (more, fields) => {
    const answer = await alice.send(fresh(), more);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(fields);
  });

  describe('an SMS has at most two segments with its code', () => {
    const phone = '+14155552400';
    const tooLong = (segments: number, why = '') => ({
      message: [`This message takes ${segments} SMS segments with its code; at most 2 are allowed.${why}`],
    });

    test('an SMS may have 306 GSM-7 or 134 other characters, and an e-mail has no such limit', async () => {
      for (const [letter, most] of [
        ['a', 306],
        ['ж', 134],
      ] as const) {
        const of = (length: number) => `{code}${letter.repeat(length - 6)}`;
        expect((await alice.send(phone, { message: of(most) })).body.segments).toBe(2);
        const before = await alice.balance();
        const refused = await alice.send(phone, { message: of(most + 1) });
        expect([refused.status, refused.body]).toEqual([
          400,
          tooLong(3, letter === 'ж' ? ' A segment holds fewer characters because of “ж”.' : ''),
        ]);
        expect(await alice.balance()).toBe(before);
        expect((await alice.send(fresh(), { message: of(most + 1) })).body.segments).toBe(null);
      }
    });

    test("the segment limit covers the account's default message, which the error names", async () => {
      const gina = await sender(service, 'Gina');
      await service.app.db.run('update accounts set default_message = $2 where id = $1', [
        gina.account_id,
        `{code} ${'ж'.repeat(200)}`,
      ]);
      const refused = await gina.send('+14155552403');
      expect(refused.body).toEqual({
        message: [
          "The account's default message takes 4 SMS segments with its code; at most 2 are allowed. A segment holds fewer characters because of “ж”.",
        ],
      });
      await gina.sent('+14155552403', { message: 'Short: {code}' });
      await gina.sent('+14155552403', { channel: 'voice' });
    });

    test('an operator can allow more segments per SMS', async () => {
      await using other = await testService({ env: { SMS_MAX_SEGMENTS: '3' } });
      const carol = await sender(other, 'Carol');
      expect((await carol.send(phone, { message: `{code}${'a'.repeat(453)}` })).body.segments).toBe(3);
      expect((await carol.send(phone, { message: `{code}${'a'.repeat(454)}` })).body).toEqual({
        message: ['This message takes 4 SMS segments with its code; at most 3 are allowed.'],
      });
    });
  });

  describe('the message of a call', () => {
    const voice = (message: string) => alice.send('+14155552404', { channel: 'voice', message });

    test.each([
      ['letters', `{code} ${'abcdefghi'.repeat(60)}`, 40],
      ['short words', `{code} ${'a '.repeat(90)}`, 40],
      ['words that are spelled', `{code} ${'W'.repeat(100)}`, 37],
      ['ideographs', `{code} ${'验证码'.repeat(60)}`, 40],
      ['digits', `{code} ${'1'.repeat(60)}`, 34],
      ['emoji', `{code} ${'😀'.repeat(30)}`, 34],
    ])('the message of a call has a limit in seconds of speech: %s', async (_what, message, seconds) => {
      const before = await alice.balance();
      expect((await voice(message)).body).toEqual({
        message: [
          `This message takes about ${seconds} seconds to speak with its code; at most 30 are allowed.`,
        ],
      });
      expect(await alice.balance()).toBe(before);
    });

    test('the message of a call may be as long as an SMS of two segments', async () => {
      expect((await voice(`{code}${'a'.repeat(300)}`)).status).toBe(201);
      expect((await voice(`{code}${'验'.repeat(128)}`)).status).toBe(201);
    });

    test('an operator can allow longer messages for calls', async () => {
      await using other = await testService({ env: { VOICE_MAX_SECONDS: '60' } });
      const carol = await sender(other, 'Carol');
      const message = `{code} ${'a'.repeat(800)}`;
      expect((await carol.send('+14155552404', { channel: 'voice', message })).status).toBe(201);
    });
  });

  test('the response to a send describes it, with the requested or default expiry', async () => {
    const startedMs = service.app.clock.now().getTime();
    for (const [more, seconds] of [
      [{}, 300],
      [{ expires_in: 60 }, 60],
      [{ expires_in: 3600 }, 3600],
    ] as const) {
      const recipient = fresh();
      const { body, headers } = await alice.send(recipient, more);
      expect(body).toEqual({
        otp_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'pending',
        expires_at: expect.stringMatching(/\.\d{3}Z$/),
        channel: 'email',
        recipient,
        segments: null,
        cost_credits: 1,
        language: 'en',
      });
      const inMs = Date.parse(body.expires_at) - startedMs - seconds * 1000;
      expect(Math.abs(inMs)).toBeLessThan(5_000);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.stringify(body)).not.toMatch(/code/);
    }
  });

  test("a send without a length, expiry or message uses the account's defaults", async () => {
    const erin = await sender(service, 'Erin');
    await service.app.db.run(
      `update accounts set default_otp_length = 8, default_expiry_seconds = 900, default_message = 'Acme: {code}!'
       where id = $1`,
      [erin.account_id],
    );
    const { body } = await erin.send('+14155552401');
    expect(Date.parse(body.expires_at) - service.app.clock.now().getTime()).toBeGreaterThan(890_000);
    await service.drain();
    const [sms] = await service.inbox('+14155552401');
    expect(sms?.text).toMatch(/^Acme: \d{8}!$/);
  });
});

test('a send on a channel without a carrier is refused outside the sandbox', async () => {
  await using real = await testService({
    env: {
      SANDBOX: '0',
      SMTP_URL: 'smtp://127.0.0.1:1',
      EMAIL_FROM: 'codes@example.com',
    },
  });
  const frank = await sender(real, 'Frank', { keys: 3 });
  expect((await frank.send('+14155552500')).body).toEqual({
    channel: ['SMS is not available on this service.'],
  });
  expect((await frank.send('+14155552500', { channel: 'voice' })).body).toEqual({
    channel: ['Voice is not available on this service.'],
  });
  await frank.sent(fresh());
  expect(await frank.balance()).toBe(99);
});
