import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  carrierMessage,
  dispatchOnce,
  LOST_RESPONSES,
  UNREACHABLE,
} from '../../../../../test/carrier-message.ts';
import { type Behaviour, numberOf } from '../../../../../test/fakes/behaviour.ts';
import { type HttpCarrierFake, startHttpCarrier } from '../../../../../test/fakes/http-carrier.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { verifySigned } from '../../../../platform/signing/standard-webhooks.ts';
import type { Message } from '../../carrier.ts';
import { type HttpCarrierOptions, httpCarrier, parseHttpInbound, parseHttpStatus } from './send.ts';

const server = fixture(startHttpCarrier);

function dispatch(over: Partial<Message> = {}, options: Partial<HttpCarrierOptions> = {}) {
  const { url, secret } = server;
  const carrier = httpCarrier({ url, secret, clock: systemClock, timeoutMs: 5_000, ...options });
  return dispatchOnce(carrier, carrierMessage(over));
}

test('an HTTP carrier receives a message signed, with all its data and its idempotency key', async () => {
  const outcome = await dispatch({
    channel: 'email',
    recipient: 'alice@example.com',
    subject: 'Your Verification Code',
    sender_name: 'Acme',
    reply_to: 'help@acme.example',
    html: '<b>123456</b>',
    language: 'en',
    dlt: { entity_id: '1701158019630577568', template_id: '1107158091234567890' },
    status_url: 'https://otp.example.com/api/v1/carriers/http/status/?otp=1',
  });
  const [taken] = server.messagesTo('alice@example.com');
  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: taken?.message_id });
  expect(taken).toMatchObject({
    id: carrierMessage().id,
    channel: 'email',
    text: 'Your verification code is: 123456',
    code: '123456',
    subject: 'Your Verification Code',
    sender_name: 'Acme',
    reply_to: 'help@acme.example',
    html: '<b>123456</b>',
    language: 'en',
    dlt: { entity_id: '1701158019630577568', template_id: '1107158091234567890' },
    expires_at: '2026-11-21T04:00:00.000Z',
    status_url: 'https://otp.example.com/api/v1/carriers/http/status/?otp=1',
  });
  expect(taken?.headers['idempotency-key']).toBe(`otp:${carrierMessage().id}`);
  expect(taken?.headers['webhook-id']).toBe(carrierMessage().id);
});

test('an HTTP carrier with another secret refuses a message', async () => {
  const outcome = await dispatch({}, { secret: 'another' });
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'bad_signature', rest: true });
});

const cases: [Behaviour, object][] = [
  ['unsubscribed', { reason: 'unsubscribed', unsubscribed: true, final: true }],
  ['invalid', { reason: 'invalid_recipient', final: true }],
  ['filtered', { reason: 'policy', final: true }],
  ['refuse', { reason: 'http_400' }],
  ['error', { reason: 'http_500', rest: true, temporary: true }],
  ['limit', { reason: 'rate_limited', rest: true, temporary: true, retry_after_seconds: 1 }],
  ['unauthorized', { reason: 'http_401', rest: true }],
];
test.each(cases)('a refusal by an HTTP carrier is recognized: %s', async (behaviour, expected) => {
  const outcome = await dispatch({ recipient: numberOf[behaviour] });
  expect(outcome).toEqual({ kind: 'refused', detail: expect.stringMatching(/^[A-Z].*\.$/), ...expected });
});

test.each(LOST_RESPONSES)(
  'the outcome is uncertain after an HTTP carrier behaves like "%s"',
  async (behaviour, reason) => {
    const options = behaviour === 'hang' ? { timeoutMs: 1_000 } : {};
    const outcome = await dispatch({ recipient: numberOf[behaviour] }, options);
    expect(outcome).toMatchObject({ kind: 'uncertain', reason });
  },
);

test('a closed port of an HTTP carrier is a definite refusal', async () => {
  const outcome = await dispatch({}, { url: 'http://127.0.0.1:1/send' });
  expect(outcome).toMatchObject(UNREACHABLE);
});

describe('unusual responses', () => {
  const answered = (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
    answeredBy((answer) => answer.writeHead(status, headers).end(body));

  async function answeredBy(respond: (answer: ServerResponse) => unknown, timeoutMs = 5_000) {
    const odd = createServer((request, answer) => {
      request.resume().on('end', () => respond(answer));
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(odd.address() as AddressInfo).port}/`;
    try {
      return await dispatch({}, { url, timeoutMs });
    } finally {
      odd.closeAllConnections();
      odd.close();
    }
  }

  test.each([
    [204, '', null],
    [200, ' \n', null],
    [202, '{}', null],
    [200, '{"message_id":42}', '42'],
    [201, '{"message_id":"m1","queued":true}', 'm1'],
    [200, '{"message_id":{"a":1}}', null],
  ])(
    'an HTTP carrier accepts a message with the status %i and the body %j',
    async (status, body, provider_message_id) => {
      expect(await answered(status, body)).toEqual({ kind: 'accepted', provider_message_id });
    },
  );

  test.each([
    ['a web page', '<!doctype html><title>Sign in</title>'],
    ['a warning of a script', '<br /><b>Warning</b>: mysql'],
    ['text', 'OK'],
    ['a JSON text', '"accepted"'],
    ['a JSON list', '[{"message_id":"m1"}]'],
    ['null', 'null'],
    ['half an object', '{"message_id":"m1"'],
    ['an endless body', Buffer.alloc(1_000_000, 'x')],
  ])('the outcome is uncertain if an HTTP carrier reports success with %s', async (_what, body) => {
    expect(await answered(200, body, { 'content-type': 'text/html' })).toEqual({
      kind: 'uncertain',
      reason: 'unreadable_response',
      detail: 'The HTTP carrier responded with HTTP 200, but not as its protocol promises.',
    });
  });

  test('a redirect from an HTTP carrier is a configuration error and is not followed', async () => {
    const outcome = await answered(307, '', { location: server.url });
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'http_307', rest: true });
  });

  test.each([
    [410, { reason: 'unsubscribed', unsubscribed: true, final: true }],
    [408, { reason: 'http_408', rest: true, temporary: true }],
    [425, { reason: 'http_425', rest: true, temporary: true }],
    [404, { reason: 'http_404', rest: true }],
    [405, { reason: 'http_405', rest: true }],
  ])('the status %i from an HTTP carrier is a refusal', async (status, expected) => {
    expect(await answered(status, '')).toEqual({ kind: 'refused', detail: expect.any(String), ...expected });
  });

  test('a 409 from an HTTP carrier means that the same message is in flight', async () => {
    expect(await answered(409, '')).toMatchObject({ kind: 'uncertain', reason: 'in_flight' });
  });

  test('an HTTP carrier’s unknown reason, or reason with the code, is not passed on', async () => {
    expect(await answered(400, '{"reason":"Bad <b>thing</b>"}')).toMatchObject({ reason: 'http_400' });
    for (const reason of ['code_123456_is_bad', 'to_415_555_26_71', 'code_12_34', 'c1_2_3_4', '١٢٣٤'])
      expect(await answered(400, JSON.stringify({ reason }))).toMatchObject({ reason: 'http_400' });
    expect(await answered(400, '{"reason":"error_17_3"}')).toMatchObject({ reason: 'error_17_3' });
    expect(await answered(400, '{"reason":"unsubscribed"}')).toMatchObject({
      unsubscribed: true,
      final: true,
    });
  });

  test('an HTTP carrier’s status line without a body counts as a response', async () => {
    const half = (answer: ServerResponse) => answer.writeHead(202, { 'content-length': 10 }).write('{');
    const outcome = await answeredBy(half, 1_000);
    expect(outcome).toEqual({ kind: 'accepted', provider_message_id: null });
  });
});

const body = { message_id: 'hc_1', otp_id: 'o1', status: 'delivered' };

test('HTTP carrier callbacks are signed with the same secret, and forged callbacks are detected', () => {
  const now = new Date();
  const verify = ({ headers, body: rawBody }: ReturnType<HttpCarrierFake['callback']>) =>
    verifySigned({ secret: server.secret, headers, rawBody, now });
  expect(verify(server.callback('https://x.example/', body))).toBe(true);
  expect(verify(server.callback('https://x.example/', body, { forged: true }))).toBe(false);
});

test.each([
  [body, { provider_message_id: 'hc_1', otp_id: 'o1', state: 'delivered', reason: null }],
  [
    { message_id: 7, status: 'undelivered', reason: 'unreachable' },
    { provider_message_id: '7', otp_id: null, state: 'undelivered', reason: 'unreachable' },
  ],
  [
    { otp_id: 'o1', status: 'failed', reason: 'Not a reason' },
    { provider_message_id: null, otp_id: 'o1', state: 'undelivered', reason: 'failed' },
  ],
  [{ otp_id: 'o1', status: 'queued' }, undefined],
  [{ otp_id: 'o1' }, undefined],
  [null, undefined],
  [['delivered'], undefined],
  ['delivered', undefined],
])('the HTTP carrier body %j is parsed as a delivery report', (sent, expected) => {
  expect(parseHttpStatus(sent)).toEqual(expected);
});

test.each([
  [
    { from: '+12025550100', text: 'STOP' },
    { from: '+12025550100', to: null, body: 'STOP' },
  ],
  [
    { from: '+12025550100', text: '', to: '12345' },
    { from: '+12025550100', to: '12345', body: '' },
  ],
  [{ from: '+12025550100' }, undefined],
  [{ text: 'STOP' }, undefined],
  [undefined, undefined],
])('the HTTP carrier body %j is parsed as an inbound text', (sent, expected) => {
  expect(parseHttpInbound(sent)).toEqual(expected);
});
