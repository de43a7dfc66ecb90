import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { carrierMessage, dispatchOnce, LOST_RESPONSES, UNREACHABLE } from '../../../test/carrier-message.ts';
import { type Behaviour, numberOf } from '../../../test/fakes/behaviour.ts';
import { startTwilio } from '../../../test/fakes/twilio.ts';
import { fixture } from '../../../test/fixture.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Carrier, Message } from './carrier.ts';
import { statusCallback, type TwilioOptions, twilioCarrier, twilioChannels } from './twilio.ts';

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
    brandName: 'Sixdigit',
    clock: systemClock,
    timeoutMs: 300,
    ...over,
  });

const dispatch = (over: Partial<Message> = {}, options: Partial<TwilioOptions> = {}, signal?: AbortSignal) =>
  dispatchOnce(connect(options), message(over), signal);

test('an SMS arrives with text, sender, report URL and remaining validity', async () => {
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

test('an SMS goes through a messaging service if TWILIO_FROM is one', async () => {
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
])('a delivery report URL is omitted if Twilio would refuse the message because of it: %s', (address) => {
  expect(statusCallback(address, twilioApi)).toBeUndefined();
  // A carrier of the same network can reach it.
  expect(statusCallback(address, 'http://192.168.1.7:8080')).toBe(address);
});

test('the delivery report URL is included if public', () => {
  expect(statusCallback('https://otp.example.com/x', twilioApi)).toBe('https://otp.example.com/x');
});

test('a call speaks the sender and, three times, the digits', async () => {
  const recipient = '+12025550102';
  const outcome = await dispatch({
    recipient,
    channel: 'voice',
    code: '012345',
    sender_name: 'Tom & <Jerry>',
  });
  const [taken] = twilio.messagesTo(recipient);
  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: taken?.sid });
  expect(taken).toMatchObject({ kind: 'call', code: '012345', statusCallback: message().status_url });
  expect(taken?.body).toContain('Your Tom &amp; &lt;Jerry&gt; verification code is');
  expect(taken?.body.match(/0, 1, 2, 3, 4, 5/g)).toHaveLength(3);
});

test('a call speaks the service name if the customer has none', async () => {
  await dispatch({ recipient: '+12025550103', channel: 'voice' });
  expect(twilio.messagesTo('+12025550103')[0]?.body).toContain('Your Sixdigit verification code is');
});

test('a call requires a full number as sender', () => {
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
])('without a sid is uncertain: %j', async (body) => {
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
test.each(cases)('%s', async (behaviour, expected) => {
  for (const channel of ['sms', 'voice'] as const) {
    const outcome = await dispatch({ recipient: numberOf[behaviour], channel });
    expect(outcome).toEqual({ kind: 'refused', detail: expect.stringMatching(/^[A-Z].*\.$/), ...expected });
    expect(JSON.stringify(outcome)).not.toContain('123456');
    expect(JSON.stringify(outcome)).not.toContain(twilio.authToken);
  }
});

test('a wrong token', async () => {
  const outcome = await dispatch({}, { authToken: 'wrong' });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unauthorized', rest: true });
});

test('an unreachable Twilio is a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: 'http://127.0.0.1:1' });
  expect(outcome).toMatchObject(UNREACHABLE);
});

test('an unresolvable host name is a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: 'http://nowhere.invalid', timeoutMs: 3000 });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unreachable', rest: true });
});

test('a carrier without TLS is a definite refusal', async () => {
  const outcome = await dispatch({}, { apiUrl: twilio.url.replace('http:', 'https:') });
  expect(outcome).toMatchObject({ kind: 'refused', rest: true });
});

describe('uncertain outcomes', () => {
  test.each(LOST_RESPONSES)('%s', async (behaviour, reason) => {
    expect(await dispatch({ recipient: numberOf[behaviour] })).toMatchObject({ kind: 'uncertain', reason });
    expect(twilio.messagesTo(numberOf[behaviour])).toHaveLength(behaviour === 'lose' ? 0 : 1);
  });

  test('a slow response within the timeout counts', async () => {
    const outcome = await dispatch({ recipient: numberOf.slow }, { timeoutMs: 3000 });
    expect(outcome).toMatchObject({ kind: 'accepted' });
  });

  test('cancellation is definite before the request is written and uncertain afterwards', async () => {
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
