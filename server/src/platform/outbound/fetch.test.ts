import { expect, test } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { ConnectionFailure } from './connect.ts';
import { outboundFetch } from './fetch.ts';

const options = { timeoutMs: 5_000, connectTimeoutMs: 2_000, maxBytes: 1_000 };
const anywhere = outboundFetch({ ...options, allowPrivate: () => true });
const guarded = outboundFetch({ ...options, allowPrivate: () => false });

const failing = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ConnectionFailure);
  return error as ConnectionFailure;
};

test('an outbound fetch sends method, headers and form, and returns status, headers and body', async () => {
  await using receiver = await startReceiver({
    answer: () => ({ status: 201, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }),
  });
  const response = await anywhere(receiver.at('/token?x=1'), {
    method: 'POST',
    headers: { accept: 'application/json', host: 'other.example' },
    body: new URLSearchParams({ code: 'a b' }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/json']);
  expect(await response.json()).toEqual({ a: 1 });
  const [request] = await receiver.waitFor(1);
  expect(request).toMatchObject({ method: 'POST', path: '/token?x=1', text: 'code=a+b' });
  expect(request?.headers).toMatchObject({ host: `127.0.0.1:${receiver.port}`, accept: 'application/json' });
});

test('an outbound fetch follows no redirect', async () => {
  await using receiver = await startReceiver();
  expect((await anywhere(receiver.at('/302'))).status).toBe(302);
  expect(receiver.requests).toHaveLength(1);
});

test('an outbound fetch refuses a body that is longer than its limit', async () => {
  await using receiver = await startReceiver({ answer: () => ({ status: 200, body: 'a'.repeat(1_001) }) });
  expect(await failing(anywhere(receiver.at('/long')))).toMatchObject({ reason: 'protocol' });
});

test('an outbound fetch to a private address makes no connection', async () => {
  await using receiver = await startReceiver();
  const url = `https://127.0.0.1:${receiver.port}/`;
  expect(await failing(guarded(url))).toMatchObject({ reason: 'blocked_address' });
  const resolve = async () => ['127.0.0.1'];
  const named = outboundFetch({ ...options, allowPrivate: () => false, resolve });
  const byName = named(`https://id.example.com:${receiver.port}/`);
  expect(await failing(byName)).toMatchObject({ reason: 'blocked_address' });
  expect(receiver.connections).toBe(0);
});
