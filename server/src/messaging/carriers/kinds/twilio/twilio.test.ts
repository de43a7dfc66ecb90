import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  carrierMessage,
  dispatchOnce,
  LOST_RESPONSES,
  UNREACHABLE,
} from '../../../../../test/carrier-message.ts';
import { type Behaviour, numberOf } from '../../../../../test/fakes/behaviour.ts';
import { startTwilio, TwilioFake, type TwilioMessage } from '../../../../../test/fakes/twilio.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { systemClock } from '../../../../platform/clock.ts';
import type { Carrier, Message } from '../../carrier.ts';
import { reportAddress } from '../../post.ts';
import {
  parseTwilioInbound,
  parseTwilioStatus,
  twilioSignature,
  twimlReply,
  validTwilioSignature,
} from './callbacks.ts';
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
  expect(twilioChannels('+12025550199')).toEqual(['sms', 'voice']);
  expect(twilioChannels(`MG${'0'.repeat(32)}`)).toEqual(['sms']);
  expect(twilioChannels('12345')).toEqual(['sms']);
  expect(twilioChannels('Acme')).toEqual(['sms']);
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
      const options = behaviour === 'hang' ? { timeoutMs: 300 } : {};
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

// The worked example of Twilio's security documentation.
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const params = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
};
const signed = { authToken: '12345', url, params, signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' };

test("Twilio's signature matches the example in Twilio's documentation", () => {
  expect(twilioSignature('12345', url, params)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
  expect(validTwilioSignature(signed)).toBe(true);
});

test.each([
  ['another token', { authToken: '12346' }],
  ['no token', { authToken: '' }],
  ['a signature made without a token', { authToken: '', signature: twilioSignature('', url, params) }],
  ['another address', { url: 'https://mycompany.com/myapp.php?foo=1&bar=3' }],
  ['another value', { params: { ...params, Digits: '1235' } }],
  ['a field more', { params: { ...params, Extra: 'x' } }],
  ['no signature', { signature: undefined }],
  ['an empty signature', { signature: '' }],
  ['two signatures', { signature: [signed.signature, signed.signature] }],
])('a callback from Twilio is refused for %s', (_, over) => {
  expect(validTwilioSignature({ ...signed, ...over })).toBe(false);
});

test('Twilio’s signature holds with and without the default port', () => {
  const withPort = 'https://mycompany.com:443/myapp.php?foo=1&bar=2';
  const signature = twilioSignature('12345', withPort, params);
  expect(validTwilioSignature({ ...signed, signature })).toBe(true);
  expect(validTwilioSignature({ ...signed, url: withPort })).toBe(true);
});

test('Twilio’s signature holds with and without an explicit port, and with no other port', () => {
  const address = 'https://mycompany.com:8443/myapp.php?foo=1&bar=2';
  const isValid = (signedAs: string) =>
    validTwilioSignature({
      ...signed,
      url: address,
      signature: twilioSignature('12345', signedAs, params),
    });
  expect(isValid(address)).toBe(true);
  expect(isValid(address.replace(':8443', ''))).toBe(true);
  expect(isValid(address.replace(':8443', ':8444'))).toBe(false);
  expect(isValid(address.replace(':8443', ':443'))).toBe(false);
});

test('Twilio’s signature includes repeated fields once each, sorted', () => {
  const repeated = { Media: ['b', 'a', 'b'] };
  expect(twilioSignature('t', 'https://x.example/', repeated)).toBe(
    twilioSignature('t', 'https://x.example/MediaaMediab', {}),
  );
});

describe('delivery reports', () => {
  test.each([
    ['delivered', undefined, 'delivered', null],
    ['read', undefined, 'delivered', null],
    ['undelivered', '30003', 'undelivered', 'unreachable_handset'],
    ['failed', '30007', 'undelivered', 'filtered'],
    ['failed', '21610', 'undelivered', 'unsubscribed'],
    ['failed', '39999', 'undelivered', 'twilio_39999'],
    ['failed', undefined, 'undelivered', 'failed'],
    ['undelivered', '<script>', 'undelivered', 'undelivered'],
    ['canceled', undefined, 'undelivered', 'canceled'],
    ['sent', undefined, 'sent', null],
    ['queued', undefined, 'other', null],
    ['sending', undefined, 'other', null],
    ['something new', undefined, 'other', null],
  ])('a Twilio message report "%s" (%s) is read as %s, %s', (MessageStatus, ErrorCode, state, reason) => {
    const params = { MessageSid: 'SM1', MessageStatus, ErrorCode };
    const is_read = state === 'delivered' ? { is_read: MessageStatus === 'read' } : {};
    expect(parseTwilioStatus(params)).toEqual({ provider_message_id: 'SM1', state, reason, ...is_read });
  });

  test.each([
    ['completed', 'delivered', null],
    ['busy', 'undelivered', 'busy'],
    ['no-answer', 'undelivered', 'no_answer'],
    ['failed', 'undelivered', 'call_failed'],
    ['canceled', 'undelivered', 'call_canceled'],
    ['ringing', 'other', null],
    ['in-progress', 'other', null],
    ['constructor', 'other', null],
  ])('a Twilio call report "%s" is read as %s, %s', (CallStatus, state, reason) => {
    expect(parseTwilioStatus({ CallSid: 'CA1', CallStatus })).toEqual({
      provider_message_id: 'CA1',
      state,
      reason,
    });
  });

  test('a Twilio report can have the older names of its fields', () => {
    const state = { provider_message_id: 'SM1', state: 'sent', reason: null };
    expect(parseTwilioStatus({ SmsSid: 'SM1', SmsStatus: 'sent' })).toEqual(state);
  });

  test('a Twilio report without fields changes nothing', () => {
    expect(parseTwilioStatus({})).toEqual({ provider_message_id: null, state: 'other', reason: null });
  });
});

describe("the fake's callbacks", () => {
  const fake = new TwilioFake({});
  let message: TwilioMessage;
  beforeAll(() => {
    message = {
      sid: 'SM1',
      kind: 'sms',
      to: '+12025550100',
      from: '+12025550199',
      body: '',
      code: '',
      statusCallback: 'https://otp.example.com/api/v1/carriers/twilio/status/?otp=1',
      params: {},
      idempotencyKey: undefined,
    };
  });
  const isValid = ({ url, headers, body }: ReturnType<TwilioFake['callback']>) =>
    validTwilioSignature({
      authToken: fake.authToken,
      url,
      params: Object.fromEntries(new URLSearchParams(body)),
      signature: headers['x-twilio-signature'],
    });

  test('the callbacks of the Twilio fake have valid signatures, and its forged callbacks do not', () => {
    expect(isValid(fake.callback(message, 'delivered'))).toBe(true);
    expect(isValid(fake.callback(message, 'delivered', { forged: true }))).toBe(false);
    expect(isValid(fake.inbound('https://otp.example.com/in', { from: '+12025550100', body: 'STOP' }))).toBe(
      true,
    );
  });
});

test('an inbound text from Twilio has a sender, a recipient and a text', () => {
  expect(parseTwilioInbound({ From: '+12025550100', To: '+12025550199', Body: ' Stop\n' })).toEqual({
    from: '+12025550100',
    to: '+12025550199',
    body: ' Stop\n',
  });
});

test.each([
  ['STOP', 'stop'],
  ['Start', 'start'],
  ['help', 'help'],
  ['other', undefined],
])('an inbound text from Twilio with the type %s is read as %s', (OptOutType, opt_out) => {
  expect(parseTwilioInbound({ From: '+12025550100', Body: 'x', OptOutType })?.opt_out).toBe(opt_out);
});

test('an inbound text from Twilio without a sender is ignored', () => {
  expect(parseTwilioInbound({ Body: 'STOP' })).toBeUndefined();
});

test('an inbound text from Twilio gets a reply in TwiML', () => {
  expect(twimlReply()).toBe('<Response/>');
  expect(twimlReply('Write to <help@acme.example> & wait')).toBe(
    '<Response><Message>Write to &lt;help@acme.example&gt; &amp; wait</Message></Response>',
  );
});
