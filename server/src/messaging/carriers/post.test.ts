import { once } from 'node:events';
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

const post = (server: typeof good, path: string) =>
  poster.post({
    url: new URL(`https://localhost:${(server.address() as AddressInfo).port}${path}`),
    headers: {},
    body: 'x',
    signal: new AbortController().signal,
    timeoutMs: 400,
  });

test('a carrier’s response over TLS is read on new and reused connections', async () => {
  expect(await post(good, '/ok')).toEqual({ kind: 'answered', status: 200, text: 'fine' });
  expect(await post(good, '/ok')).toEqual({ kind: 'answered', status: 200, text: 'fine' });
});

test('a timeout or a broken TLS connection after the request is written counts as no response', async () => {
  expect(await post(good, '/hang')).toEqual({ kind: 'unanswered', why: 'timeout' });
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
