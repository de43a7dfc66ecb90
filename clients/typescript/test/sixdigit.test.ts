import { inspect } from 'node:util';
import { type SendInput, Sixdigit, SixdigitError } from 'sixdigit';
import { FakeSixdigit } from 'sixdigit/fake';
import { expect, onTestFinished, test, vi } from 'vitest';

const KEY = `sd_test_${'k'.repeat(38)}`;
const ID = '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f';
const input: SendInput = { channel: 'sms', recipient: '+12015550123' };

/** A client whose requests get these responses in turn. */
function answering(...responses: (() => Promise<Response>)[]) {
  const requests: { url: string; init: RequestInit }[] = [];
  const client = new Sixdigit({
    apiKey: ` ${KEY}\n`,
    baseUrl: 'https://otp.example.com/',
    fetch: async (url, init = {}) => {
      requests.push({ url: String(url), init });
      const next = responses.shift();
      if (!next) throw new Error('Unexpected request');
      return next();
    },
  });
  return { client, requests };
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  async () =>
    Response.json(body, { status, headers });
const unavailable = (headers: Record<string, string> = {}) =>
  json(503, { error: 'x', reason: 'unavailable' }, headers);

test.each([
  ['https://otp.example.com', 'https://otp.example.com/api/v1/otp/x/'],
  ['https://otp.example.com/', 'https://otp.example.com/api/v1/otp/x/'],
  ['https://otp.example.com/api/v1', 'https://otp.example.com/api/v1/otp/x/'],
  ['https://example.com/codes/api/v1/', 'https://example.com/codes/api/v1/otp/x/'],
])('the base URL %s leads to %s', async (baseUrl, address) => {
  const urls: string[] = [];
  const fake = async (url: unknown) => {
    urls.push(String(url));
    return Response.json({});
  };
  await new Sixdigit({ apiKey: KEY, baseUrl, fetch: fake as typeof fetch }).get('x');
  expect(urls).toEqual([address]);
});

test.each([
  [{ apiKey: '', baseUrl: 'https://otp.example.com' }],
  [{ apiKey: 'sd_tést', baseUrl: 'https://otp.example.com' }],
  [{ apiKey: undefined as unknown as string, baseUrl: 'https://otp.example.com' }],
  [{ apiKey: KEY, baseUrl: '' }],
  [{ apiKey: KEY, baseUrl: 'otp.example.com' }],
  [{ apiKey: KEY, baseUrl: 'ftp://otp.example.com' }],
])('the options %j are refused at once', (options) => {
  expect(() => new Sixdigit(options)).toThrow(TypeError);
});

test('a printed client and its errors do not contain the key', async () => {
  const { client, requests } = answering(json(401, { error: 'Invalid API key', reason: 'invalid_api_key' }));
  expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(KEY);
  const error = await client.get(ID).catch((one: unknown) => one);
  expect(new Headers(requests[0]?.init.headers).get('x-api-key')).toBe(KEY);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
});

test.each([
  ['Wed, 01 Jan 2031 00:01:30 GMT', 90],
  ['Tue, 31 Dec 2030 23:59:00 GMT', 0],
  ['540', 540],
  ['soon', undefined],
])('a Retry-After of %j is read as %s seconds', async (text, seconds) => {
  vi.useFakeTimers({ now: Date.UTC(2031, 0), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { client } = answering(json(404, { error: 'x', reason: 'not_found' }, { 'retry-after': text }));
  await expect(client.get(ID)).rejects.toSatisfy((error: SixdigitError) => error.retryAfter === seconds);
});

test('a long Retry-After is left to the caller', async () => {
  const { client, requests } = answering(unavailable({ 'retry-after': '90' }));
  await expect(client.send(input)).rejects.toMatchObject({ reason: 'unavailable', status: 503 });
  expect(requests).toHaveLength(1);
});

test('a request in flight with the same idempotency key is awaited', async () => {
  const busy = json(409, { error: 'x', reason: 'idempotency_key_in_flight' }, { 'retry-after': '0' });
  const { client, requests } = answering(busy, json(200, { status: 'verified' }));
  await client.verify({ otp_id: ID, code: '1' });
  expect(requests).toHaveLength(2);
});

test('the outcome of a code of your own is reported', async () => {
  const { client, requests } = answering(unavailable(), json(200, { otp_id: ID }));
  await client.outcome(ID, { verified: false });
  expect(requests.map(({ url, init }) => [init.method, url, init.body])).toEqual(
    Array(2).fill(['POST', `https://otp.example.com/api/v1/otp/${ID}/outcome/`, '{"verified":false}']),
  );
});

test('an aborted call ends with the reason of its signal, also between attempts', async () => {
  const before = answering();
  const reason = new Error('The visitor has left');
  await expect(before.client.send(input, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(before.requests).toEqual([]);

  const controller = new AbortController();
  const pending = answering(
    () =>
      new Promise((_, reject) => {
        queueMicrotask(() => controller.abort(reason));
        controller.signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  await expect(pending.client.send(input, { signal: controller.signal })).rejects.toBe(reason);

  const waiting = new AbortController();
  const between = answering(async () => {
    setTimeout(() => waiting.abort(reason));
    return unavailable({ 'retry-after': '9' })();
  });
  await expect(between.client.send(input, { signal: waiting.signal })).rejects.toBe(reason);
  expect(between.requests).toHaveLength(1);
});

test('a fake fails the next calls as told', async () => {
  const fake = new FakeSixdigit();
  fake.failNext('spend_limit_reached', { resets_at: 'tomorrow' });
  fake.failNext('timeout');
  await expect(fake.send(input)).rejects.toMatchObject({
    reason: 'spend_limit_reached',
    status: 402,
    facts: { resets_at: 'tomorrow' },
  });
  await expect(fake.send(input)).rejects.toMatchObject({ reason: 'timeout', status: 0 });
  const { otp_id } = await fake.send(input);
  fake.failDelivery(otp_id);
  expect(await fake.get(otp_id)).toMatchObject({ status: 'failed', failure: 'Not delivered' });
  expect(() => fake.codeFor('+12015550199')).toThrow('No message');
  const plan = await fake.send({ recipient: '+12015550124', channels: ['sms', 'voice'] });
  fake.failDelivery(plan.otp_id, 'Busy');
  expect(await fake.get(plan.otp_id)).toMatchObject({
    status: 'sent',
    steps: [{ status: 'failed', reason: 'Busy' }, { status: 'delivered' }],
  });
  expect(fake.messages.at(-1)).toMatchObject({ otp_id: plan.otp_id, channel: 'voice' });
});

test('an error is an instance of Error with a name', () => {
  const error = new SixdigitError('invalid_code', 'Invalid OTP code');
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toBe('SixdigitError: Invalid OTP code');
});
