import { Agent, request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../../test/fakes/receiver.ts';
import { post, postAnywhere } from '../../../test/outbound-posts.ts';

/** Public in form, but from a block that IANA has reserved, so that no host responds. */
const nowhere = '2d00::1';

describe('an address inside the network gets no connection', () => {
  let inside: Receiver;
  beforeAll(async () => {
    // Without https: a guard that failed would send it a TLS handshake, and that is counted too.
    inside = await startReceiver();
  });
  afterAll(() => inside.close());

  const untouched = async (outcome: Promise<unknown>, reason = 'blocked_address') => {
    expect(await outcome).toMatchObject({ kind: 'failed', reason });
    expect([inside.connections, inside.bytesRead]).toEqual([0, 0]);
  };

  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127%2e0%2e0%2e1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '10.0.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00:ec2::254]',
    'localhost',
    'localhost.',
    'ⓛocalhost',
    'hooks.localhost',
  ])('https://%s inside the network gets no connection', async (host) => {
    await untouched(post(`https://${host}:${inside.port}/ok`));
  });

  test('an address of this machine that is not loopback gets no connection', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address, internal, family } of addresses) {
      if (!internal && family === 'IPv4' && /^(10|172|192)\./.test(address)) {
        await untouched(post(`https://${address}:${inside.port}/ok`));
      }
    }
  });

  test.each([
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    'fe80::1%lo',
    'localhost',
    '127.1',
  ])('a public name that resolves to %s gets no connection', async (address) => {
    const resolve = async () => [address];
    const outcome = post(`https://hooks.example.com:${inside.port}/ok`, { resolve });
    if (address === 'localhost' || address === '127.1') return untouched(outcome, 'dns');
    await untouched(outcome);
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700::1111', '::1']],
    [['8.8.8.8', '127.1']],
  ])('a name with a public and a private address gets no connection: %j', async (addresses) => {
    await untouched(post(`https://hooks.example.com:${inside.port}/ok`, { resolve: async () => addresses }));
  });

  test('a name that is public when checked and private when used gets no connection', async () => {
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? [nowhere] : ['127.0.0.1']);
    const outcome = await post(`https://rebind.example.com:${inside.port}/ok`, {
      resolve,
      connectTimeoutMs: 200,
    });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^(connect|timeout)$/) });
    expect([asked, inside.connections]).toEqual([1, 0]);
    await untouched(post(`https://rebind.example.com:${inside.port}/ok`, { resolve }));
    expect(asked).toBe(2);
  });

  test('a server on the IPv6 loopback gets no connection', async ({ skip }) => {
    const receiver = await startReceiver({ host: '::1' }).catch(() => skip('no IPv6 here'));
    await using inside6 = receiver;
    const { port } = inside6;
    for (const host of ['[::1]', '[0:0::1]', 'localhost']) {
      expect(await post(`https://${host}:${port}/ok`)).toMatchObject({ reason: 'blocked_address' });
    }
    const resolve = async () => ['::1'];
    expect(await post(`https://hooks.example.com:${port}/ok`, { resolve })).toMatchObject({ kind: 'failed' });
    expect([inside6.connections, inside6.bytesRead]).toEqual([0, 0]);
    expect(await postAnywhere(`http://[::1]:${port}/ok`)).toMatchObject({ kind: 'answer', status: 200 });
    expect(inside6.requests[0]?.headers.host).toBe(`[::1]:${port}`);
  });

  test('a plain http URL gets no connection', async () => {
    await untouched(post(`http://127.0.0.1:${inside.port}/ok`), 'invalid_url');
    await untouched(
      post(`http://hooks.example.com:${inside.port}/ok`, { resolve: async () => ['127.0.0.1'] }),
      'invalid_url',
    );
  });

  test('refusing a private address does not reveal the addresses of a name', async () => {
    const outcome = await post('https://hooks.example.com/', { resolve: async () => ['10.1.2.3'] });
    expect(outcome).toMatchObject({
      detail: 'hooks.example.com does not lead to a public address on the internet.',
    });
  });

  test('a call to a private address succeeds if private addresses are allowed', async () => {
    await using seen = await startReceiver();
    expect(await postAnywhere(`https://127.1:${seen.port}/ok`)).toMatchObject({ reason: 'tls' });
    expect(seen.bytesRead).toBeGreaterThan(0);
  });

  test('outbound calls do not reuse connections', async () => {
    await using receiver = await startReceiver();
    const url = `http://hooks.example.com:${receiver.port}/ok`;
    const resolve = async () => ['127.0.0.1'];
    for (let i = 0; i < 3; i++) expect(await postAnywhere(url, { resolve })).toMatchObject({ status: 200 });
    expect(receiver.connections).toBe(3);
    await receiver.waitUntilQuiet();

    using _pool = await idleSocketTo(receiver);
    const { connections, bytesRead } = receiver;
    await post(url.replace('http:', 'https:'), { resolve });
    await post(receiver.at('/ok').replace('http:', 'https:'), { resolve });
    expect([receiver.connections, receiver.bytesRead]).toEqual([connections, bytesRead]);
  });

  test.each([301, 302, 303, 307, 308])(
    'a %d redirect to a private address is a response and is not followed',
    async (status) => {
      await using outside = await startReceiver();
      const outcome = await postAnywhere(outside.at(`/redirect?status=${status}&to=${inside.at('/ok')}`));
      expect(outcome).toMatchObject({ kind: 'answer', status });
      expect([outside.requests.length, inside.connections]).toEqual([1, 0]);
    },
  );
});

/** A socket that waits in a pool, as another part of the process might leave behind. */
async function idleSocketTo(receiver: Receiver): Promise<Disposable> {
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest(receiver.at('/ok'), { agent }, (response) =>
      response.resume().on('end', resolve),
    );
    request.on('error', reject).end();
  });
  return { [Symbol.dispose]: () => agent.destroy() };
}
