import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { post, postAnywhere } from '../../../test/outbound-posts.ts';

describe('limits', () => {
  const limited = { timeoutMs: 300, connectTimeoutMs: 300 };
  const late = { kind: 'failed', reason: 'timeout', detail: 'No complete response arrived within 0.3 s.' };

  test.each(['/hang', '/drip', '/drip-headers'])(
    '%s ends at the deadline and leaves no connection',
    async (path) => {
      await using receiver = await startReceiver();
      const outcome = await postAnywhere(receiver.at(path), limited);
      expect(outcome).toMatchObject(late);
      expect(outcome.ms).toBeGreaterThanOrEqual(290);
      expect(outcome.ms).toBeLessThan(2000);
      await receiver.waitUntilQuiet();
    },
  );

  test('a name server that does not respond ends at the deadline', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    expect(await post('https://hooks.example.com/', { ...limited, resolve })).toMatchObject(late);
  });

  test('a TLS handshake that never completes ends at the connection timeout', async () => {
    await using mute = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const outcome = await postAnywhere(`https://127.0.0.1:${port}/ok`, { connectTimeoutMs: 200 });
    expect(outcome).toMatchObject({ reason: 'timeout', detail: 'No connection could be made within 0.2 s.' });
  });

  test.each([200, 500])(
    'a body of 10 GB is not read to its end, and its status %d counts',
    async (status) => {
      await using receiver = await startReceiver();
      const outcome = await postAnywhere(receiver.at(`/huge/${status}`));
      expect(outcome).toMatchObject({ kind: 'answer', status, excerpt: 'x'.repeat(4096) });
      await receiver.waitUntilQuiet();
      expect(receiver.bytesWritten).toBeLessThan(16_000_000);
    },
  );

  test('endless headers are refused', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/huge-headers'))).toMatchObject({
      kind: 'failed',
      reason: 'too_large',
    });
  });
});

describe('a failure has one reason and a sentence', () => {
  test.each([
    ['/reset', 'reset', 'The server closed the connection before its response was complete.'],
    ['/truncated', 'reset', 'The server closed the connection before its response was complete.'],
    ['/garbage', 'protocol', expect.stringMatching(/^The response is not valid HTTP \(HPE_/)],
  ])('%s is %s', async (path, reason, detail) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at(path))).toMatchObject({ kind: 'failed', reason, detail });
  });

  test('a closed port is a connection failure', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await postAnywhere(receiver.at('/ok'))).toMatchObject({
      reason: 'connect',
      detail: 'The connection was refused.',
    });
  });

  test('a name that cannot be resolved or has no address is a DNS failure', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await post('https://nobody.example.com/', { resolve: unknown })).toMatchObject({
      reason: 'dns',
      detail: 'The host name nobody.example.com could not be resolved (ENOTFOUND).',
    });
    expect(await post('https://nobody.example.com/', { resolve: async () => [] })).toMatchObject({
      reason: 'dns',
    });
  });

  test('invalid input never makes the call throw', async () => {
    const thrower = () => {
      throw new Error('boom');
    };
    expect(await post('https://hooks.example.com/', { resolve: thrower })).toMatchObject({ reason: 'dns' });
    expect(await post('\0')).toMatchObject({ reason: 'invalid_url' });
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/ok'), { headers: { 'bad\nname': 'x' } })).toMatchObject({
      kind: 'failed',
      reason: 'protocol',
    });
  });
});
