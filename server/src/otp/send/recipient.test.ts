import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

test('20 spellings of one phone number are one recipient', async () => {
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

test('an e-mail address in any letter case is one recipient', async () => {
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

test('numbers in Canada are allowed; with * those of every country are, except premium numbers', async () => {
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

test('personal numbers and numbers of no country get no code, even if every country is allowed', async () => {
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
