import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { fixture } from '../../../test/fixture.ts';
import { post, postAnywhere } from '../../../test/outbound-posts.ts';
import { outboundPost } from './request.ts';

describe('with private addresses allowed', () => {
  test('an outbound request arrives unchanged with its host name', async () => {
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

  test.each(['localhost', '127.1', '0x7f.1', '127.0.0.1'])(
    'an outbound request to http://%s works if private addresses are allowed',
    async (host) => {
      await using receiver = await startReceiver();
      expect(await postAnywhere(`http://${host}:${receiver.port}/ok`)).toMatchObject({
        kind: 'answer',
        status: 200,
      });
    },
  );

  test('an outbound request tries the next address when the first refuses', async () => {
    await using receiver = await startReceiver();
    const resolve = async () => ['::1', '127.0.0.2', '127.0.0.1'];
    const outcome = await postAnywhere(`http://hooks.example.com:${receiver.port}/ok`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answer', status: 200 });
  });

  test.each([200, 204, 299, 302, 400, 404, 429, 500, 503])(
    'the status %d is a response, not a failure',
    async (status) => {
      await using receiver = await startReceiver();
      expect(await postAnywhere(receiver.at(`/${status}`))).toMatchObject({
        kind: 'answer',
        status,
        headers: {},
      });
    },
  );

  test('an outbound request returns 410 and Retry-After to the caller', async () => {
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

  test('a protocol upgrade counts as a response and does not hang', async () => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at('/upgrade'))).toMatchObject({ kind: 'answer', status: 101 });
  });
});

const excerptOf = async (body: Buffer | string) => {
  await using receiver = await startReceiver({ answer: () => ({ status: 200, body }) });
  const outcome = await postAnywhere(receiver.at('/'));
  return outcome.kind === 'answer' ? outcome.excerpt : undefined;
};

test('the excerpt of a response is the first 4 KiB', async () => {
  expect(await excerptOf('x'.repeat(5000))).toBe('x'.repeat(4096));
});

test('the excerpt of a response omits a character that truncation would split', async () => {
  expect(await excerptOf(`x${'ö'.repeat(3000)}`)).toBe(`x${'ö'.repeat(2047)}`);
  expect(await excerptOf('😀'.repeat(1500))).toBe('😀'.repeat(1024));
});

test('the excerpt of a response is text that the database can store, whatever bytes the server sends', async () => {
  expect(await excerptOf(Buffer.from([0x61, 0, 0x62, 0xff, 0xc3, 0x63, 0xed, 0xa0, 0x80]))).toBe('ab��c���');
  const every = await excerptOf(Buffer.from(Array.from({ length: 4096 }, (_, i) => i * 7)));
  expect(every?.isWellFormed()).toBe(true);
  expect(every).not.toContain('\0');
});

describe('limits', () => {
  const limited = { timeoutMs: 500, connectTimeoutMs: 500 };
  const late = { kind: 'failed', reason: 'timeout', detail: 'No complete response arrived within 0.5 s.' };

  test.each([
    ['/hang', late],
    ['/drip', { kind: 'answer', status: 200 }],
    ['/drip-headers', { kind: 'answer', status: 200 }],
  ])('an outbound request to %s ends at the deadline and leaves no connection', async (path, expected) => {
    await using receiver = await startReceiver();
    const outcome = await postAnywhere(receiver.at(path), limited);
    expect(outcome).toMatchObject(expected);
    expect(outcome.ms).toBeGreaterThanOrEqual(490);
    expect(outcome.ms).toBeLessThan(2000);
    await receiver.waitUntilQuiet();
  });

  test('an outbound request ends at the deadline if a name server does not respond', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    expect(await post('https://hooks.example.com/', { ...limited, resolve })).toMatchObject(late);
  });

  test('an outbound request ends at the connection timeout if the TLS handshake does not complete', async () => {
    await using mute = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const outcome = await postAnywhere(`https://127.0.0.1:${port}/ok`, { connectTimeoutMs: 200 });
    expect(outcome).toMatchObject({ reason: 'timeout', detail: 'No connection could be made within 0.2 s.' });
  });

  test.each([200, 500])(
    'a response body of 10 GB is not read to its end, and its status %d counts',
    async (status) => {
      await using receiver = await startReceiver();
      const outcome = await postAnywhere(receiver.at(`/huge/${status}`));
      expect(outcome).toMatchObject({ kind: 'answer', status, excerpt: 'x'.repeat(4096) });
      await receiver.waitUntilQuiet();
      expect(receiver.bytesWritten).toBeLessThan(16_000_000);
    },
  );

  test('endless response headers are not read to their end, and the status counts', async () => {
    let written = 0;
    await using endless = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(`X-Pad: ${'x'.repeat(8_000)}\r\n`)) written += 8_000;
      };
      socket.on('drain', more);
      more();
    });
    expect(await postAnywhere(endless.url)).toMatchObject({ kind: 'answer', status: 200, excerpt: '' });
    expect(written).toBeLessThan(16_000_000);
  });
});

/** A server that writes raw bytes as soon as a request has arrived. */
async function rawReceiver(respond: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => respond(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a response whose status is clear counts by it', () => {
  const PAD = `X-Pad: ${'x'.repeat(20_000)}\r\n`;
  test.each<[string, string, object]>([
    ['with line ends without CR', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', { status: 200, excerpt: 'ok' }],
    [
      'with both length headers',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      { status: 200, excerpt: 'ok' },
    ],
    [
      'with two different lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
      { status: 200 },
    ],
    ['with 20 kB of headers', `HTTP/1.1 204 No Content\r\n${PAD}\r\n`, { status: 204 }],
    ['with 200 kB of headers', `HTTP/1.1 500 Oops\r\n${PAD.repeat(10)}\r\n`, { status: 500 }],
    ['with a header line without a colon', 'HTTP/1.1 200 OK\r\nno header\r\n\r\nok', { status: 200 }],
    ['with a space in the name of a header', 'HTTP/1.1 202 OK\r\nX Y : 1\r\n\r\n', { status: 202 }],
    ['with control characters in a header', 'HTTP/1.1 200 OK\r\nX: \x01\x00\r\n\r\n', { status: 200 }],
    ['with a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok', { status: 200 }],
    ['with broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok', { status: 200 }],
    [
      'with half a body',
      'HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nonly',
      { status: 500, excerpt: 'only' },
    ],
    ['without the end of its headers', 'HTTP/1.1 200 OK\r\nX: 1\r\n', { status: 200 }],
    ['without a reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', { status: 200 }],
    ['of HTTP/1.0', 'HTTP/1.0 410 Gone\r\n\r\n', { status: 410 }],
    [
      'after an interim one',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nno header\r\n\r\n',
      { status: 201 },
    ],
    [
      'with Retry-After and line ends without CR',
      'HTTP/1.1 503 Busy\nRetry-After: 7\nContent-Length: 0\n\n',
      { status: 503, headers: { 'retry-after': '7' } },
    ],
  ])('a response %s counts by its status', async (_, text, expected) => {
    await using receiver = await rawReceiver((socket) => socket.end(text));
    expect(await postAnywhere(receiver.url)).toMatchObject({ kind: 'answer', ...expected });
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['half a status line', 'HTTP/1.1 20'],
    ['a status line without its end', 'HTTP/1.1 200 OK'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['an interim response alone', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a status beside other text', '{"status": "HTTP/1.1 200 OK\r\n"}'],
  ])('a server that sends %s causes a failure', async (_, text) => {
    await using receiver = await rawReceiver((socket) => socket.end(text));
    expect(await postAnywhere(receiver.url)).toMatchObject({ kind: 'failed' });
  });
});

describe('a failure has one reason and a sentence', () => {
  test.each([
    ['/reset', 'reset', 'The server closed the connection before its response was complete.'],
    ['/garbage', 'protocol', expect.stringMatching(/^The response is not valid HTTP \(HPE_/)],
  ])('an outbound request to %s fails with the reason %s', async (path, reason, detail) => {
    await using receiver = await startReceiver();
    expect(await postAnywhere(receiver.at(path))).toMatchObject({ kind: 'failed', reason, detail });
  });

  test('an outbound request to a closed port is a connection failure', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await postAnywhere(receiver.at('/ok'))).toMatchObject({
      reason: 'connect',
      detail: 'The connection was refused.',
    });
  });

  test('an outbound request to a name without an address is a DNS failure', async () => {
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

  test('an outbound request does not throw on invalid input', async () => {
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

  test('TLS connects to the checked address and verifies the certificate against the name', async () => {
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

  test('hanging, slow and endless responses over TLS end at the same limits', async () => {
    await using receiver = await startReceiver({ certificate });
    const url = (path: string) => `https://hooks.example.com:${receiver.port}${path}`;
    const within = { resolve, timeoutMs: 1_000 };
    expect(await postAnywhere(url('/hang'), within)).toMatchObject({ reason: 'timeout' });
    for (const path of ['/drip', '/drip-headers'])
      expect(await postAnywhere(url(path), within)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await postAnywhere(url('/huge'), { resolve })).toMatchObject({ kind: 'answer', status: 200 });
    expect(await postAnywhere(url('/reset'), { resolve })).toMatchObject({ reason: 'reset' });
    await receiver.waitUntilQuiet();
  });
});

const receiver = fixture(startReceiver);
let body = '';
beforeAll(async () => {
  receiver.answer = () => ({ status: 500, body });
});

async function excerptOfText(text: string): Promise<string> {
  body = text;
  const url = receiver.at('/answer');
  const answer = await outboundPost({ url, headers: {}, body: '{}', allowPrivate: true, timeoutMs: 5_000 });
  if (answer.kind === 'failed') throw new Error(answer.detail);
  return answer.excerpt;
}
/** A body of more than 4 KiB whose first 4 KiB end after `kept` characters of the text. */
const cutAfter = (text: string, kept: number): string => {
  const end = `No route to ${text.slice(0, kept)}`;
  return `${'. '.repeat(2048).slice(0, 4096 - end.length)}${end}${text.slice(kept)} and more`;
};

test.each([
  '+12025550121',
  '+1 202 555 0121',
  '(202) 555-0121',
  '202.555.0121',
  'sms:+12025550121',
  '"12025550121"',
])('an excerpt contains the number %s whole or not at all, wherever it is cut', async (number) => {
  for (let kept = 1; kept < number.length; kept += 1)
    expect([kept, await excerptOfText(cutAfter(number, kept))]).toEqual([
      kept,
      expect.not.stringMatching(/\d/),
    ]);
  expect(await excerptOfText(cutAfter(`${number}, `, number.length + 2))).toContain(number);
});

test('an excerpt contains an e-mail address whole or not at all, wherever it is cut', async () => {
  const address = 'pat.doe@example.com';
  for (let kept = 1; kept < address.length; kept += 1)
    expect([kept, await excerptOfText(cutAfter(address, kept))]).toEqual([
      kept,
      expect.not.stringContaining('p'),
    ]);
});

test('a response of up to 4 KiB, or of one long word, is kept unchanged', async () => {
  const whole = `${'x'.repeat(4084)} +12025550`;
  expect(await excerptOfText(whole)).toBe(whole);
  expect(await excerptOfText('é'.repeat(5000))).toBe('é'.repeat(2048));
});
