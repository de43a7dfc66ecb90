import { describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { numberOf } from '../../../test/fakes/behaviour.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { inboundKeyword } from './opt-outs.ts';

const STOPS = [
  'stop',
  'stopall',
  'stop all',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'revoke',
  'optout',
  'opt out',
];
const STARTS = ['start', 'unstop', 'yes'];
const HELPS = ['help', 'info'];

/** How phones and people write one word. */
const DRESSES: readonly ((word: string) => string)[] = [
  (word) => word.toUpperCase(),
  (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`,
  (word) => ` ${word}\r\n`,
  (word) => `${word}.`,
  (word) => `${word}!!!`,
  (word) => `"${word}"`,
  (word) => `“${word}”`,
  (word) => `‘${word}’`,
  (word) => `«${word}»`,
  (word) => `(${word})`,
  (word) => `*${word}*`,
  (word) => word.replace(' ', '-'),
  (word) => word.replace(' ', '_'),
  (word) => `\u200b${word}\ufeff`,
  (word) => `\u200e${word}\u200f`,
  (word) => [...word].join('\u200d'),
  (word) => [...word].join('\u00ad'),
  (word) => `${word.slice(0, 2)}\u2060${word.slice(2)}`,
  (word) =>
    [...word]
      .map((letter) =>
        letter === ' ' ? letter : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
      )
      .join(''),
  (word) => `${word} 🛑`,
  (word) => `please ${word}`,
  (word) => `${word}, thanks`,
  (word) => `${word} ${word} ${word}`,
  (word) => `${word}\u00a0`,
];

describe('a keyword', () => {
  test.each([
    ...STOPS.map((word) => [word, 'stop']),
    ...STARTS.map((word) => [word, 'start']),
    ...HELPS.map((word) => [word, 'help']),
  ])('the keyword %s means %s in any spelling', (word, meaning) => {
    for (const dress of DRESSES) expect(inboundKeyword(dress(word)), dress(word)).toBe(meaning);
  });

  test.each([
    'opt-out',
    'OPT  OUT',
    'Un-subscribe',
    'S.T.O.P',
    's t o p',
    'please stop',
    'STOP it',
    'stop texting me',
    'Stop sending me these messages, please',
    'unsubscribe me',
    'I want to opt out',
    'I would like to unsubscribe from this list',
    'cancel texts',
    'end messages',
    'Arrêt',
    'STOP\n\nThanks',
  ])('a request in plain words counts as STOP: %s', (text) => {
    expect(inboundKeyword(text)).toBe('stop');
  });

  test.each([
    'no',
    'ok',
    'thanks',
    '123456',
    'stopp',
    'nonstop',
    'bus stop',
    "don't stop",
    'do not stop',
    'never stop',
    'cancel my order',
    'cancel it',
    'the end',
    'weekend',
    'end of the road',
    'I quit my job',
    'I want to cancel my booking',
    'yes I got it',
    'yes stop',
    'stop start',
    'who is this?',
    'please call me',
    'help me find my order',
    'start stop',
    'can you help',
    'opt',
    'out',
    'please',
    'text me',
    '🛑',
    '',
    ' ',
    '\0',
    'сtор',
    `stop ${'please '.repeat(40)}`,
  ])('an ordinary reply contains no keyword: %j', (text) => {
    expect(inboundKeyword(text)).toBeUndefined();
  });
});

let count = 0;
const phone = () => `+1415555${9000 + ++count}`;
const TWILIO = 'http://sixdigit.test/api/v1/carriers/twilio/inbound/';
const HTTP = 'http://sixdigit.test/api/v1/carriers/http/inbound/';

const service = fixture(() =>
  serviceWithCarriers(['twilio', 'http'], { SUPPORT_EMAIL: 'help@sixdigit.test' }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

/** Sends a text as Twilio does and returns our reply. */
async function twilioAnswer(from: string, body: string): Promise<string> {
  const { url, headers, body: payload } = service.twilio.inbound(TWILIO, { from, body });
  const answer = await service.inject({
    method: 'POST',
    url: url.slice('http://sixdigit.test'.length),
    headers,
    payload,
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('text/xml; charset=utf-8');
  return answer.body;
}
const isRefused = async (recipient: string, by = alice) => {
  const before = await by.balance();
  const { status, body } = await by.send(recipient, { channel: 'sms' });
  if (status === 201) return false;
  expect(status).toBe(400);
  expect(body).toEqual({ error: 'Recipient has opted out', reason: 'recipient_opted_out' });
  expect(await by.balance()).toBe(before);
  return true;
};

test.each(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'])(
  '%s by SMS stops SMS from every account to that number, in any letter case',
  async (word) => {
    const bob = await sender(service, 'Bob');
    const from = phone();
    expect(await isRefused(from)).toBe(false);
    const answer = await twilioAnswer(from, ` ${word.toLowerCase()}\n`);
    expect(answer).toContain('You have opted out of Sixdigit messages');
    expect(await isRefused(from)).toBe(true);
    expect(await isRefused(from, bob)).toBe(true);
  },
);

test.each(['START', 'UNSTOP', 'YES'])('%s allows SMS again', async (word) => {
  const from = phone();
  await twilioAnswer(from, 'STOP');
  expect(await isRefused(from)).toBe(true);
  expect(await twilioAnswer(from, word)).toContain('You will receive Sixdigit verification codes again');
  expect(await isRefused(from)).toBe(false);
});

test.each(['HELP', 'info'])('the reply to %s contains the support address', async (word) => {
  const from = phone();
  expect(await twilioAnswer(from, word)).toContain('help@sixdigit.test');
  expect(await isRefused(from)).toBe(false);
});

test.each(['stopp', 'please call me', 'cancel my order', '', 'ok', '123456'])(
  'an ordinary reply causes no opt-out and gets no reply: %j',
  async (text) => {
    const from = phone();
    expect(await twilioAnswer(from, text)).toBe('<Response/>');
    expect(await isRefused(from)).toBe(false);
  },
);

test('a keyword that Twilio recognized counts whatever the text, and gets no second reply', async () => {
  const from = phone();
  const text = async (body: string, OptOutType: string) => {
    const { url, headers, body: payload } = service.twilio.inbound(TWILIO, { from, body, OptOutType });
    const answer = await service.inject({
      method: 'POST',
      url: url.slice('http://sixdigit.test'.length),
      headers,
      payload,
    });
    expect([answer.statusCode, answer.body]).toEqual([200, '<Response/>']);
  };
  await text('BASTA', 'STOP');
  expect(await isRefused(from)).toBe(true);
  await text('STOP', 'HELP');
  expect(await isRefused(from)).toBe(true);
  await text('vamos', 'START');
  expect(await isRefused(from)).toBe(false);
  await text('STOP', 'START');
  expect(await isRefused(from)).toBe(false);
});

test('if Twilio sends an unknown opt-out type, the text decides', async () => {
  const from = phone();
  const {
    url,
    headers,
    body: payload,
  } = service.twilio.inbound(TWILIO, { from, body: 'stop', OptOutType: 'X' });
  const path = url.slice('http://sixdigit.test'.length);
  await service.inject({ method: 'POST', url: path, headers, payload });
  expect(await isRefused(from)).toBe(true);
});

test('an opt-out from SMS affects neither calls nor mails', async () => {
  const from = phone();
  await twilioAnswer(from, 'STOP');
  await alice.sent(from, { channel: 'voice' });
  await alice.sent('reader@example.com');
});

test('a STOP applies to every spelling of the number', async () => {
  const from = '+14155559500';
  await twilioAnswer(from, 'STOP');
  for (const spelling of ['(415) 555-9500', '1 415 555 9500', '４１５５５５９５００'])
    expect(await isRefused(spelling)).toBe(true);
});

test.each([
  ['Twilio', '4155559601'],
  ['Twilio', '14155559602'],
  ['Twilio', '(415) 555-9603'],
  ['Twilio', '+1 415-555-9604'],
  ['Twilio', '＋１４１５５５５９６０５'],
  ['gateway', '4155559611'],
  ['gateway', '14155559612'],
  ['gateway', '(415) 555-9613'],
  ['gateway', '+1 415-555-9614'],
])('a STOP from %s applies to every spelling of the number: %s', async (by, from) => {
  const recipient = `+1${from.normalize('NFKC').replace(/\D/g, '').slice(-10)}`;
  const text = async (word: string) =>
    by === 'Twilio'
      ? void (await twilioAnswer(from, word))
      : void (await service.http.text(HTTP, { from, text: word }));
  await text('STOP');
  expect(await isRefused(recipient)).toBe(true);
  await text('START');
  expect(await isRefused(recipient)).toBe(false);
});

describe('through the HTTP carrier', () => {
  test('STOP and START work through the HTTP carrier, and the response contains the reply', async () => {
    const from = phone();
    const { headers, body } = service.http.callback(HTTP, { from, text: 'Stop' });
    const answer = await service.inject({
      method: 'POST',
      url: '/api/v1/carriers/http/inbound/',
      headers,
      payload: body,
    });
    expect(answer.json()).toEqual({
      reply: 'You have opted out of Sixdigit messages. Reply START to receive them again.',
    });
    expect(await isRefused(from)).toBe(true);
    expect(await service.http.text(HTTP, { from, text: 'START' })).toBe(200);
    expect(await isRefused(from)).toBe(false);
  });

  test('a malformed inbound text from the HTTP carrier is a field error', async () => {
    for (const odd of [{}, { from: 5, text: 'STOP' }, { from: '+14155550100' }, [], null]) {
      const { headers, body } = service.http.callback(HTTP, odd);
      const answer = await service.inject({
        method: 'POST',
        url: '/api/v1/carriers/http/inbound/',
        headers,
        payload: body,
      });
      expect(answer.statusCode).toBe(400);
    }
  });
});

test('a forged inbound text gets 404 and causes no opt-out', async () => {
  const from = phone();
  expect(await service.twilio.text(TWILIO, { from, body: 'STOP' }, { forged: true })).toBe(404);
  expect(await service.http.text(HTTP, { from, text: 'STOP' }, { forged: true })).toBe(404);
  expect(await isRefused(from)).toBe(false);
  await twilioAnswer(from, 'STOP');
  expect(await service.twilio.text(TWILIO, { from, body: 'START' }, { forged: true })).toBe(404);
  expect(await isRefused(from)).toBe(true);
});

test('a carrier’s "unsubscribed" refusal counts as STOP, and no other carrier is tried', async () => {
  const before = await alice.balance();
  const otp_id = await alice.sent(numberOf.unsubscribed);
  await service.drain();
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    failure: 'Recipient has opted out',
    cost_credits: 0,
  });
  expect(await alice.balance()).toBe(before);
  expect(service.http.messagesTo(numberOf.unsubscribed)).toEqual([]);
  expect(await isRefused(numberOf.unsubscribed)).toBe(true);
});

test.each(['sms', 'voice'] as const)(
  'an "unsubscribed" in a delivery report counts as STOP only if it is about SMS: %s',
  async (channel) => {
    const recipient = phone();
    await alice.sent(recipient, { channel });
    await service.drain();
    const message = await service.twilio.waitForMessageTo(recipient);
    await service.twilio.report(message, 'failed', { errorCode: 21610 });
    expect(await isRefused(recipient)).toBe(channel === 'sms');
  },
);

test('an "unsubscribed" refusal of a call does not stop SMS', async () => {
  service.twilio.everyone = 'unsubscribed';
  const recipient = phone();
  const otp_id = await alice.sent(recipient, { channel: 'voice' });
  await service.drain();
  service.twilio.everyone = undefined;
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', failure: 'Recipient has opted out' });
  expect(await isRefused(recipient)).toBe(false);
});

test('an opt-out is stored as a keyed hash and survives a rotation of the server key', async () => {
  const from = phone();
  await twilioAnswer(from, 'STOP');
  const rows = await service.app.db.rows<{ t: string }>('select to_jsonb(o)::text as t from opt_outs o');
  expect(rows.map(({ t }) => t).join()).not.toContain(from.slice(1));
  const { vault } = service.app;
  const { fingerprint, fingerprints } = vault;
  // As after a rotation: the current key becomes the previous one.
  vault.fingerprint = (purpose, text) => fingerprint(`new ${purpose}`, text);
  vault.fingerprints = (purpose, text) => [
    ...fingerprints(`new ${purpose}`, text),
    ...fingerprints(purpose, text),
  ];
  expect(await isRefused(from)).toBe(true);
  await twilioAnswer(from, 'START');
  expect(await isRefused(from)).toBe(false);
  Object.assign(vault, { fingerprint, fingerprints });
});

test('repeating a send from before a STOP with its idempotency key gets the same response', async () => {
  const from = phone();
  const headers = { 'idempotency-key': `before-stop-${from}` };
  const first = await alice.send(from, { channel: 'sms' }, headers);
  await twilioAnswer(from, 'STOP');
  expect((await alice.send(from, { channel: 'sms' }, headers)).body).toEqual(first.body);
});
