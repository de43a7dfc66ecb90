import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  carrierMessage,
  dispatchOnce,
  LOST_RESPONSES,
  UNREACHABLE,
} from '../../../../../test/carrier-message.ts';
import { type Behaviour, numberOf } from '../../../../../test/fakes/behaviour.ts';
import { startTwilio } from '../../../../../test/fakes/twilio.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { systemClock } from '../../../../platform/clock.ts';
import type { Carrier, Message } from '../../carrier.ts';
import { reportAddress } from '../../post.ts';
import { type TwilioOptions, twilioCarrier, twilioChannels } from './send.ts';
import { twimlOf } from './voice.ts';

const message = (over: Partial<Message> = {}): Message =>
  carrierMessage({
    expires_at: new Date(Date.now() + 300_000),
    status_url:
      'https://otp.example.com/api/v1/carriers/twilio/status/?otp=0198c0de-0000-7000-8000-000000000001',
    ...over,
  });

const twilio = fixture(startTwilio);

const connect = (over: Partial<TwilioOptions> = {}): Carrier =>
  twilioCarrier({
    accountSid: twilio.accountSid,
    authToken: twilio.authToken,
    from: '+12025550199',
    apiUrl: twilio.url,
    clock: systemClock,
    timeoutMs: 5_000,
    ...over,
  });

const dispatch = (over: Partial<Message> = {}, options: Partial<TwilioOptions> = {}, signal?: AbortSignal) =>
  dispatchOnce(connect(options), message(over), signal);

test('Twilio receives an SMS with text, sender, report URL and remaining validity', async () => {
  const outcome = await dispatch();
  const [taken] = twilio.messagesTo(numberOf.accept);
  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: taken?.sid });
  expect(taken).toMatchObject({
    kind: 'sms',
    from: '+12025550199',
    body: 'Your verification code is: 123456',
    statusCallback: message().status_url,
    idempotencyKey: 'otp:0198c0de-0000-7000-8000-000000000001',
  });
  expect(Number(taken?.params.ValidityPeriod)).toBeGreaterThan(290);
  expect(Number(taken?.params.ValidityPeriod)).toBeLessThanOrEqual(300);
});

test.each([
  ['+12025550105', 5 * 3_600_000, '14400'],
  ['+12025550106', -1_000, '1'],
])('the validity of an SMS to %s stays within the limits of Twilio', async (recipient, ms, validity) => {
  await dispatch({ recipient, expires_at: new Date(Date.now() + ms) });
  expect(twilio.messagesTo(recipient)[0]?.params.ValidityPeriod).toBe(validity);
});

test('an SMS uses a messaging service if TWILIO_FROM is one', async () => {
  const service = `MG${'0'.repeat(32)}`;
  await dispatch({ recipient: '+12025550101' }, { from: service });
  expect(twilio.messagesTo('+12025550101')[0]?.params).toMatchObject({ MessagingServiceSid: service });
  expect(twilio.messagesTo('+12025550101')[0]?.params).not.toHaveProperty('From');
});

const twilioApi = 'https://api.twilio.com';
test.each([
  'http://localhost:3000/api/v1/carriers/twilio/status/',
  'http://127.0.0.1:3000/x',
  'http://[::1]/x',
  'https://10.0.0.5/x',
  'https://otp/x',
  'https://otp.internal/x',
])('a delivery report URL that Twilio would refuse is omitted: %s', (address) => {
  expect(reportAddress(address, twilioApi)).toBeUndefined();
  // A carrier of the same network can reach it.
  expect(reportAddress(address, 'http://192.168.1.7:8080')).toBe(address);
});

test('a public delivery report URL is included', () => {
  expect(reportAddress('https://otp.example.com/x', twilioApi)).toBe('https://otp.example.com/x');
});

const pause = { pause_seconds: 1 };

test('Twilio speaks the script of a call, with its pauses and a voice of its language', async () => {
  const recipient = '+12025550102';
  const outcome = await dispatch({
    recipient,
    channel: 'voice',
    code: '012345',
    language: 'de',
    script: [
      pause,
      { say: 'Ihr Code für Tom & <Jerry>: 0, 1, 2, 3, 4, 5.' },
      pause,
      { say: 'Auf Wiederhören.' },
    ],
  });
  const [taken] = twilio.messagesTo(recipient);
  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: taken?.sid });
  expect(taken).toMatchObject({ kind: 'call', code: '012345', statusCallback: message().status_url });
  const say = '<Say language="de-DE" voice="Polly.Vicki">';
  expect(taken?.body).toBe(
    `<Response><Pause length="1"/>${say}Ihr Code für Tom &amp; &lt;Jerry&gt;: 0, 1, 2, 3, 4, 5.</Say><Pause length="1"/>${say}Auf Wiederhören.</Say></Response>`,
  );
});

test("Twilio's default voice speaks an operator's test and a language that Twilio does not name", async () => {
  await dispatch({ recipient: '+12025550103', channel: 'voice', text: 'A test.', language: 'constructor' });
  expect(twilio.messagesTo('+12025550103')[0]?.body).toBe('<Response><Say>A test.</Say></Response>');
});

test('a call contains only the intended TwiML verbs, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const verbs = twimlOf([pause, { say: `<Dial>${text}</Dial>` }], 'ar').match(/<\/?\w+/g) ?? [];
      expect([...new Set(verbs)].sort()).toEqual(['</Response', '</Say', '<Pause', '<Response', '<Say']);
    }),
  );
});

test('a call requires a full phone number as its sender', () => {
  expect(twilioChannels({ from: '+12025550199' })).toEqual(['sms', 'voice']);
  expect(twilioChannels({ from: `MG${'0'.repeat(32)}` })).toEqual(['sms']);
  expect(twilioChannels({ from: '12345' })).toEqual(['sms']);
  expect(twilioChannels({ from: 'Acme' })).toEqual(['sms']);
  expect(twilioChannels({ from: 'Acme', senders: 'voice +12025550199' })).toEqual(['sms', 'voice']);
  expect(twilioChannels({ from: 'Acme', senders: 'US voice +12025550199' })).toEqual(['sms']);
});

async function answered(status: number, body: string) {
  const odd = createServer((request, answer) => {
    request.resume().on('end', () => answer.writeHead(status).end(body));
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  try {
    return await dispatch({}, { apiUrl: `http://127.0.0.1:${(odd.address() as AddressInfo).port}` });
  } finally {
    odd.closeAllConnections();
    odd.close();
  }
}

test('Twilio’s response of success with a sid is an acceptance', async () => {
  expect(await answered(200, '{"sid":"SM1"}')).toEqual({ kind: 'accepted', provider_message_id: 'SM1' });
});

test('Twilio’s response of success with an error code is a refusal', async () => {
  expect(await answered(201, '{"sid":"SM1","error_code":21610}')).toMatchObject({ kind: 'refused' });
});

test.each([
  '',
  '{}',
  '{"sid":null}',
  '{"sid":""}',
  '{"sid":5}',
  '["SM1"]',
  'OK',
  '<html><title>Sign in</title></html>',
  '{"sid":"SM1"',
])('a success response from Twilio without a sid is uncertain: %j', async (body) => {
  for (const status of [200, 201])
    expect(await answered(status, body)).toEqual({
      kind: 'uncertain',
      reason: 'unreadable_response',
      detail: `Twilio responded with HTTP ${status}, but not as its protocol promises.`,
    });
});

const cases: [Behaviour, object][] = [
  ['unsubscribed', { reason: 'unsubscribed', unsubscribed: true, final: true }],
  ['invalid', { reason: 'invalid_recipient', final: true }],
  ['filtered', { reason: 'filtered', final: true }],
  ['refuse', { reason: 'twilio_21999' }],
  ['error', { reason: 'carrier_error', rest: true, temporary: true }],
  ['limit', { reason: 'rate_limited', rest: true, temporary: true }],
  ['unauthorized', { reason: 'carrier_unauthorized', rest: true }],
];
test.each(cases)('Twilio’s response "%s" is a definite refusal', async (behaviour, expected) => {
  for (const channel of ['sms', 'voice'] as const) {
    const outcome = await dispatch({ recipient: numberOf[behaviour], channel });
    expect(outcome).toEqual({ kind: 'refused', detail: expect.stringMatching(/^[A-Z].*\.$/), ...expected });
    expect(JSON.stringify(outcome)).not.toContain('123456');
    expect(JSON.stringify(outcome)).not.toContain(twilio.authToken);
  }
});

test('a wrong Twilio token is a refusal that pauses the carrier', async () => {
  const outcome = await dispatch({}, { authToken: 'wrong' });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unauthorized', rest: true });
});

test('an unreachable Twilio is a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: 'http://127.0.0.1:1' });
  expect(outcome).toMatchObject(UNREACHABLE);
});

test('an unresolvable Twilio host name counts as a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: 'http://nowhere.invalid', timeoutMs: 3000 });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unreachable', rest: true });
});

test('a Twilio host without TLS counts as a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: twilio.url.replace('http:', 'https:') });
  expect(outcome).toMatchObject({ kind: 'refused', rest: true });
});

describe('uncertain outcomes', () => {
  test.each(LOST_RESPONSES)(
    'the outcome is uncertain after Twilio behaves like "%s"',
    async (behaviour, reason) => {
      const options = behaviour === 'hang' ? { timeoutMs: 1_000 } : {};
      const outcome = await dispatch({ recipient: numberOf[behaviour] }, options);
      expect(outcome).toMatchObject({ kind: 'uncertain', reason });
      expect(twilio.messagesTo(numberOf[behaviour])).toHaveLength(behaviour === 'lose' ? 0 : 1);
    },
  );

  test('a slow response from Twilio within the timeout counts', async () => {
    const outcome = await dispatch({ recipient: numberOf.slow }, { timeoutMs: 3000 });
    expect(outcome).toMatchObject({ kind: 'accepted' });
  });

  test('canceling a request to Twilio is definite before it is written and uncertain afterwards', async () => {
    const canceling = new AbortController();
    const recipient = '+12025550104';
    twilio.everyone = 'hang';
    const outcome = dispatch({ recipient }, { timeoutMs: 5000 }, canceling.signal);
    await twilio.waitForMessageTo(recipient);
    twilio.everyone = undefined;
    canceling.abort();
    expect(await outcome).toMatchObject({ kind: 'uncertain', reason: 'canceled' });
    expect(await dispatch({}, {}, canceling.signal)).toMatchObject({ kind: 'refused', reason: 'canceled' });
  });
});
