import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../../../test/fakes/certificate.ts';
import { createPoster } from './post.ts';

const standard = getCACertificates();
const trusted = selfSigned(['localhost']);
const untrusted = selfSigned(['localhost']);
const poster = createPoster();

function start(certificate: { key: string; cert: string }) {
  const server = createServer(certificate, (request, answer) => {
    request.resume().on('end', () => {
      if (request.url === '/ok') answer.end('fine');
      if (request.url === '/reset') answer.socket?.destroy();
    });
  });
  server.listen(0, 'localhost');
  return server;
}

const good = start(trusted);
const bad = start(untrusted);
beforeAll(async () => {
  setDefaultCACertificates([...standard, trusted.cert]);
  await Promise.all([good, bad].map((server) => server.listening || once(server, 'listening')));
});
afterAll(() => {
  setDefaultCACertificates(standard);
  poster.close();
  for (const server of [good, bad]) {
    server.closeAllConnections();
    server.close();
  }
});

const post = (server: typeof good, path: string, timeoutMs = 5_000) =>
  poster.post({
    url: new URL(`https://localhost:${(server.address() as AddressInfo).port}${path}`),
    headers: {},
    body: 'x',
    signal: new AbortController().signal,
    timeoutMs,
  });

test('a carrier’s response over TLS is read on new and reused connections', async () => {
  const fine = { kind: 'answered', status: 200, text: 'fine', headers: expect.anything() };
  expect(await post(good, '/ok')).toEqual(fine);
  expect(await post(good, '/ok')).toEqual(fine);
});

test('a timeout or a broken TLS connection after the request is written counts as no response', async () => {
  expect(await post(good, '/hang', 1_000)).toEqual({ kind: 'unanswered', why: 'timeout' });
  expect(await post(good, '/reset')).toEqual({ kind: 'unanswered', why: 'reset' });
});

test('an untrusted carrier certificate ends the connection before a byte is written', async () => {
  expect(await post(bad, '/ok')).toEqual({ kind: 'unreached', why: 'untrusted' });
});

test('after a connection timeout, nothing has been written to the carrier', async () => {
  const answer = await poster.post({
    url: new URL('http://192.0.2.1/'),
    headers: {},
    body: 'x',
    signal: new AbortController().signal,
    timeoutMs: 300,
  });
  expect(answer.kind).toBe('unreached');
});

/** More than the pool has sockets, so most requests wait for one that is connected. */
const IN_FLIGHT = 150;
const POOL = 64;

test.each([
  ['http', 'reset'],
  ['http', 'canceled'],
  ['https', 'reset'],
  ['https', 'canceled'],
] as const)(
  'none of 150 messages that the carrier has counts as not reached over %s (%s)',
  async (scheme, why) => {
    let received = 0;
    let warnings = 0;
    const warned = () => {
      warnings += 1;
    };
    process.on('warning', warned);
    const stop = new AbortController();
    const receive = (request: IncomingMessage, answer: ServerResponse) => {
      request.resume().on('end', () => {
        received += 1;
        // The first messages are answered, which frees their sockets for those that wait.
        if (received <= IN_FLIGHT - POOL) answer.end('fine');
        else if (why === 'reset') answer.socket?.destroy();
        if (received === IN_FLIGHT) stop.abort();
      });
    };
    const server = scheme === 'https' ? createServer(trusted, receive) : createPlainServer(receive);
    await once(server.listen(0, 'localhost'), 'listening');
    const url = new URL(`${scheme}://localhost:${(server.address() as AddressInfo).port}/`);
    const signal = why === 'canceled' ? stop.signal : new AbortController().signal;
    const answers = await Promise.all(
      Array.from({ length: IN_FLIGHT }, () => poster.post({ url, headers: {}, body: 'x', signal })),
    );
    server.closeAllConnections();
    server.close();
    process.off('warning', warned);
    expect(received).toBe(IN_FLIGHT);
    expect(answers.filter(({ kind }) => kind === 'answered')).toHaveLength(IN_FLIGHT - POOL);
    expect(answers.filter(({ kind }) => kind !== 'answered')).toEqual(
      Array(POOL).fill({ kind: 'unanswered', why }),
    );
    expect(warnings).toBe(0);
  },
);
