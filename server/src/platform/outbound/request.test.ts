import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { type Receiver, startReceiver } from '../../../test/fakes/receiver.ts';
import { type OutboundPost, outboundPost } from './request.ts';

/** Public in form, but from a block that IANA has reserved, so that no host responds. */
const nowhere = '2d00::1';

const post = (url: string, options: Partial<OutboundPost> = {}) =>
  outboundPost({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    allowPrivate: false,
    ...options,
  });

const postAnywhere = (url: string, options: Partial<OutboundPost> = {}) =>
  post(url, { allowPrivate: true, ...options });

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
  ])('https://%s', async (host) => {
    await untouched(post(`https://${host}:${inside.port}/ok`));
  });

  test('an address of this machine that is not loopback', async () => {
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
  ])('a public name that resolves to %s', async (address) => {
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
  ])('a name with a public and a private address: %j', async (addresses) => {
    await untouched(post(`https://hooks.example.com:${inside.port}/ok`, { resolve: async () => addresses }));
  });

  test('a name that is public when it is checked and private when it is used again', async () => {
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

  test('a server on the IPv6 loopback, where there is one', async ({ skip }) => {
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

  test('plain http', async () => {
    await untouched(post(`http://127.0.0.1:${inside.port}/ok`), 'invalid_url');
    await untouched(
      post(`http://hooks.example.com:${inside.port}/ok`, { resolve: async () => ['127.0.0.1'] }),
      'invalid_url',
    );
  });

  test('the refusal does not reveal the addresses of a name', async () => {
    const outcome = await post('https://hooks.example.com/', { resolve: async () => ['10.1.2.3'] });
    expect(outcome).toMatchObject({
      detail: 'hooks.example.com does not lead to a public address on the internet.',
    });
  });

  test('the same call succeeds if private addresses are allowed', async () => {
    await using seen = await startReceiver();
    expect(await postAnywhere(`https://127.1:${seen.port}/ok`)).toMatchObject({ reason: 'tls' });
    expect(seen.bytesRead).toBeGreaterThan(0);
  });

  test('no connection is reused', async () => {
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
    'a %d redirect to it is a response and is not followed',
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

describe('with private addresses allowed', () => {
  test('the request arrives unchanged, with the host name it was sent to', async () => {
    await using receiver = await startReceiver();
    const outcome = await postAnywhere(`http://hooks.example.com:${receiver.port}/ok?a=b%20c#fragment`, {
      headers: {
        'webhook-id': 'msg_1',
        'Content-Length': '1',
        Host: 'other.example',
        'Accept-Encoding': 'gzip',
      },
      body: '{"text":"größe"}',
      resolve: async () => ['127.0.0.1'],
    });
    expect(outcome).toEqual({
      kind: 'answer',
      status: 200,
      headers: {},
      excerpt: 'ok',
      ms: expect.any(Number),
    });
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ method: 'POST', path: '/ok?a=b%20c', text: '{"text":"größe"}' });
    expect(request?.headers).toEqual({
      'webhook-id': 'msg_1',
      host: `hooks.example.com:${receiver.port}`,
      'content-length': '18',
      'accept-encoding': 'identity',
      connection: 'close',
    });
  });

  test.each(['localhost', '127.1', '0x7f.1', '127.0.0.1'])('http://%s works', async (host) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(`http://${host}:${receiver.port}/ok`)).toMatchObject({
      kind: 'answer',
      status: 200,
    });
  });

  test('the next address is tried when the first refuses', async () => {
    await using receiver = await startReceiver();
    const resolve = async () => ['::1', '127.0.0.2', '127.0.0.1'];
    const outcome = await postAnywhere(`http://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
  });

  test.each([200, 204, 299, 302, 400, 404, 429, 500, 503])('%d is a response', async (status) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at(`/${status}`))).toMatchObject({
      kind: 'answer',
      status,
      headers: {},
    });
  });

  test('410 and Retry-After are returned to the caller', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/gone'))).toMatchObject({ kind: 'answer', status: 410 });
    expect(await postAnywhere(receiver.at('/retry-after/120'))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '120' },
    });
    expect(await postAnywhere(receiver.at('/retry-after/7/429'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
    });
  });

  test('a protocol upgrade is a response and does not hang', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/upgrade'))).toMatchObject({ kind: 'answer', status: 101 });
  });
});

describe('the excerpt', () => {
  const excerptOf = async (body: Buffer | string) => {
    await using receiver = await startReceiver({ answer: () => ({ status: 200, body }) });
    const outcome = await postAnywhere(receiver.at('/'));
    return outcome.kind === 'answer' ? outcome.excerpt : undefined;
  };

  test('is the first 4 KiB', async () => {
    expect(await excerptOf('x'.repeat(5000))).toBe('x'.repeat(4096));
  });

  test('omits a character that the cut would split', async () => {
    expect(await excerptOf(`x${'ö'.repeat(3000)}`)).toBe(`x${'ö'.repeat(2047)}`);
    expect(await excerptOf('😀'.repeat(1500))).toBe('😀'.repeat(1024));
  });

  test('is text that the database can store, for any bytes of the server', async () => {
    expect(await excerptOf(Buffer.from([0x61, 0, 0x62, 0xff, 0xc3, 0x63, 0xed, 0xa0, 0x80]))).toBe(
      'ab��c���',
    );
    const every = await excerptOf(Buffer.from(Array.from({ length: 4096 }, (_, i) => i * 7)));
    expect(every?.isWellFormed()).toBe(true);
    expect(every).not.toContain('\0');
  });
});

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

describe('over TLS', () => {
  const certificate = selfSigned(['hooks.example.com']);
  const standard = getCACertificates();
  const resolve = async () => ['127.0.0.1'];
  beforeAll(() => setDefaultCACertificates([...standard, certificate.cert]));
  afterAll(() => setDefaultCACertificates(standard));

  test('the connection goes to the checked address, and the certificate is checked against the name', async () => {
    await using receiver = await startReceiver({ certificate });
    const outcome = await postAnywhere(`https://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answer', status: 200, excerpt: 'ok' });
    expect(receiver.requests[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`);
    expect(await postAnywhere(`https://hooks.example.com.:${receiver.port}/ok`, { resolve })).toMatchObject({
      status: 200,
    });
  });

  test.each(['other.example.com', '127.0.0.1'])(
    'a certificate for another name than %s is refused',
    async (host) => {
      await using receiver = await startReceiver({ certificate });
      expect(await postAnywhere(`https://${host}:${receiver.port}/ok`, { resolve })).toMatchObject({
        kind: 'failed',
        reason: 'tls',
        detail: 'The certificate of the server is for another host name.',
      });
      expect(receiver.requests).toEqual([]);
    },
  );

  test('a certificate of an unknown issuer is refused', async () => {
    await using receiver = await startReceiver({ certificate: selfSigned(['hooks.example.com']) });
    const outcome = await postAnywhere(`https://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ reason: 'tls' });
    expect(receiver.requests).toEqual([]);
  });

  test('hanging, dripping and endless responses end at the same limits', async () => {
    await using receiver = await startReceiver({ certificate });
    const url = (path: string) => `https://hooks.example.com:${receiver.port}${path}`;
    for (const path of ['/hang', '/drip', '/drip-headers']) {
      expect(await postAnywhere(url(path), { resolve, timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
    }
    expect(await postAnywhere(url('/huge'), { resolve })).toMatchObject({ kind: 'answer', status: 200 });
    expect(await postAnywhere(url('/reset'), { resolve })).toMatchObject({ reason: 'reset' });
    await receiver.waitUntilQuiet();
  });
});
