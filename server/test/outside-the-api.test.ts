import { connect } from 'node:net';
import { failures } from '@sixdigit/contract/errors.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE, API_SCOPES } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { CHECK_EVERY_MS, createServer, REQUEST_TIMEOUT_MS } from '../src/platform/http/server.ts';
import { expectDocumented } from './documented.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const service = fixture(testService);
const bob = fixture(() => service.customer('Bob'));

describe('a request outside the API', () => {
  test.each(['OPTIONS', 'PROPFIND'])('the method %s gets 404 on every route', async (method) => {
    for (const route of routes.filter(({ stream }) => stream !== 'text/event-stream')) {
      const answer = await service.inject({ method: method as 'PATCH', url: API_BASE + route.path });
      expect(answer.statusCode).toBe(404);
      expectDocumented(answer, route);
    }
  });

  test.each([
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1//otp/send/',
    '/api/v1/otp/%2e%2e/users/me',
    `/api/v1/otp/${'x'.repeat(3_000)}/`,
    '/api/v1/%',
    '/%c0%ae%c0%ae/',
    '/api/v1/otp/send/;a=b',
  ])('the path %s gets 404', async (url) => {
    const answer = await service.inject({ method: 'POST', url });
    expectDocumented(answer, sendOtp);
    expect([401, 404, 405]).toContain(answer.statusCode);
  });

  test('request bodies over the limit are refused, with and without a Content-Length header', async () => {
    const key = await service.anotherKey(bob.account_id);
    await service.app.db.run('update api_keys set scopes = $2 where id = $1', [key.id, [...API_SCOPES]]);
    for (const route of routes.filter(({ body }) => body)) {
      const byKey = route.auth === 'api_key';
      const answer = await service.inject({
        method: route.method,
        url: API_BASE + route.path.replace(/:\w+/g, 'x'),
        headers: {
          'content-type': 'application/json',
          ...(byKey ? { 'x-api-key': key.key } : { authorization: `Bearer ${await signedIn(service, bob)}` }),
        },
        payload: `{"recipient":"${'x'.repeat(route.bodyBytes ?? (byKey ? 16 : 64) * 1024)}"}`,
      });
      expect(answer.statusCode).toBe(413);
      expectDocumented(answer, route);
    }
    const tooLarge = await raw(
      `POST /api/v1/auth/signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(5)}0\r\n\r\n`,
    );
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body).toMatchObject({ reason: 'body_too_large' });
  });

  test.each([
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    ['no HTTP at all', 'EHLO mail.example\r\n\r\n'],
    ['an unknown method', 'FOO /api/v1/users/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /api/v1/auth/signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a line break inside a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: a\rb\r\n\r\n'],
  ])(
    'a connection that sends %s gets a documented response, and the service keeps running',
    async (_what, text) => {
      const { status, headers, body } = await raw(text);
      expect(status).toBe(400);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(body).toEqual({ error: failures.malformed_request.error, reason: 'malformed_request' });
      expect((await service.inject({ url: '/healthz' })).statusCode).toBe(200);
    },
  );

  test.each([
    ['20 kB of cookies', `Cookie: ${'a=b; '.repeat(4_000)}`],
    ['one long header', `X-Long: ${'x'.repeat(20_000)}`],
    ['many headers', Array.from({ length: 1_500 }, (_, n) => `X-${n}: ${n}`).join('\r\n')],
  ])('a request with %s gets 431 with the cause', async (_what, headers) => {
    const { status, body } = await raw(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
    expect(status).toBe(431);
    expect(body).toEqual({ error: failures.headers_too_large.error, reason: 'headers_too_large' });
    expect((await service.inject({ url: '/healthz' })).statusCode).toBe(200);
  });

  test('a connection without a request gets 408 in time, so the client repeats a request that was in flight', async () => {
    const { server } = service.server;
    // The real one comes after half a minute.
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.once('connection', (socket) => server.emit('clientError', late, socket));
    const { status, headers, body } = await raw('');
    expect(status).toBe(408);
    expect(headers.connection).toBe('close');
    expect(body).toEqual({ error: failures.request_timeout.error, reason: 'request_timeout' });
  });

  test('a request that arrives byte by byte gets 408 within 35 seconds, and the connection closes', async () => {
    expect(REQUEST_TIMEOUT_MS + CHECK_EVERY_MS).toBeLessThan(35_000);
    const server = await createServer(service.app, service.server.authenticators);
    server.post('/slow', async () => 'whole');
    expect(server.server.requestTimeout).toBe(REQUEST_TIMEOUT_MS);
    expect(server.server.headersTimeout).toBe(REQUEST_TIMEOUT_MS);
    server.server.requestTimeout = server.server.headersTimeout = 100;
    const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
    const head =
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
    const answers = await Promise.all(
      [`${head}{`, head.slice(0, 30)].map((text) => dripping(Number(port), text)),
    );
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
    await server.close();
  });
});

/** Sends a text and then one byte after the other, until the other side closes. Returns what it sent. */
async function dripping(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += String(chunk);
  });
  socket.write(text);
  const timer = setInterval(() => socket.write('x'), 20);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  await promise;
  clearInterval(timer);
  return received;
}

/** Writes raw bytes to a socket and parses the raw response. */
async function raw(
  text: string,
): Promise<{ status: number; headers: Record<string, string>; body: unknown }> {
  origin ??= new URL(await service.listen());
  const socket = connect(Number(origin.port), '127.0.0.1');
  const chunks: Buffer[] = [];
  // The other side may close before it has read everything.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (isWhole(Buffer.concat(chunks))) socket.destroy();
  });
  socket.write(text);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  await promise;
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      headers.map((header): [string, string] => {
        const [name = '', ...value] = header.split(':');
        return [name.toLowerCase(), value.join(':').trim()];
      }),
    ),
    body: body === '' ? undefined : JSON.parse(body),
  };
}
let origin: URL | undefined;

/** A response that keeps the connection open ends with its length. */
function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(received.toString('latin1', 0, Math.max(0, end)))?.[1];
  return length !== undefined && received.length >= end + 4 + Number(length);
}
