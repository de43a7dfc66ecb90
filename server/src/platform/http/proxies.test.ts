import { once } from 'node:events';
import { createServer as createHttpServer, get, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { addressOf, isTooWide, listenOnIpv6Loopback } from './client-address.ts';
import { createServer } from './server.ts';

const PROXY = '10.1.2.3';
const service = fixture(() =>
  testService({ env: { TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8, 198.51.100.9' } }),
);
const server = fixture(() => createServer(service.app, service.server.authenticators));
beforeAll(async () => {
  server.get('/address', async (request) => addressOf(request));
});

const seen = async (headers: IncomingHttpHeaders, remoteAddress = PROXY) =>
  (await server.inject({ url: '/address', headers, remoteAddress })).body;

/** Notations that proxies use for a client, and the client's address. */
const DRESSED: readonly [string, string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['"203.0.113.7"', '203.0.113.7'],
  ['"203.0.113.7:51234"', '203.0.113.7'],
  ["'203.0.113.7'", '203.0.113.7'],
  ['[203.0.113.7]', '203.0.113.7'],
  ['[203.0.113.7]:80', '203.0.113.7'],
  ['203.0.113.7:_hidden', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:51234', '2001:db8::1'],
  ['"[2001:db8::1]:51234"', '2001:db8::1'],
  ['[2001:db8::1]:_h.i-d', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:443', 'fe80::1'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:51234', '203.0.113.7'],
];
const NOBODY = [
  'unknown',
  '_hidden',
  '_SEVKISEK',
  'client.example.com',
  '203.0.113.256',
  '203.0.113',
  '127.1',
  '0x7f.0.0.1',
  '010.0.0.1',
  '2001:db8::1::2',
  '[2001:db8::1',
  'fe80::1%',
  '203.0.113.7;x',
  '203.0.113.7 198.51.100.7',
  '-',
  'null',
  '0',
  '"',
  '\u00e9',
];
/** As an element of `Forwarded`, quoted unless it is a token. */
const forwarded = (text: string) =>
  `proto=https;For=${/^["']/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`};by="[2001:db8::9]:80"`;

test.each(DRESSED)('a trusted proxy that forwards %j identifies the client as %s', async (text, address) => {
  expect(await seen({ 'x-forwarded-for': text })).toBe(address);
  expect(await seen({ forwarded: forwarded(text.trim()) })).toBe(address);
});

test.each(NOBODY)(
  'a trusted proxy that forwards %j, which is not an address, counts as the client',
  async (text) => {
    expect(await seen({ 'x-forwarded-for': text })).toBe(PROXY);
    expect(await seen({ forwarded: forwarded(text) })).toBe(PROXY);
    expect(await seen({ 'x-forwarded-for': `203.0.113.7, ${text}` })).toBe(PROXY);
    expect(await seen({ 'x-forwarded-for': `203.0.113.7, ${text}, [fd00::5]:80` })).toBe('fd00::5');
    expect(await seen({ 'x-forwarded-for': `${text}, 203.0.113.7:80` })).toBe('203.0.113.7');
  },
);

test('a chain of forwarded addresses is followed through trusted proxies only, in any notation', async () => {
  const chain = '192.0.2.1, 203.0.113.7:1, [fd00::5]:80, "198.51.100.9:99" ,10.9.9.9';
  expect(await seen({ 'x-forwarded-for': chain })).toBe('203.0.113.7');
  expect(await seen({ forwarded: chain.split(/ *, */).map(forwarded).join(', ') })).toBe('203.0.113.7');
  expect(await seen({ forwarded: 'for=192.0.2.1;by=x, proto=https, for=10.9.9.9' })).toBe('10.9.9.9');
  expect(await seen({ forwarded: 'for="192.0.2.1, for=203.0.113.8";proto=http' })).toBe(PROXY);
  expect(await seen({ 'x-forwarded-for': '203.0.113.7,, ' })).toBe('203.0.113.7');
});

test('X-Forwarded-For, which the proxy replaces, takes precedence over the client’s Forwarded header', async () => {
  const claimed = { forwarded: 'for=192.0.2.1' };
  expect(await seen({ ...claimed, 'x-forwarded-for': '203.0.113.7' })).toBe('203.0.113.7');
  expect(await seen({ ...claimed, 'x-forwarded-for': 'unknown' })).toBe(PROXY);
});

test('forwarded addresses from an untrusted peer are ignored', async () => {
  for (const headers of [{ 'x-forwarded-for': '203.0.113.7:80' }, { forwarded: 'for=203.0.113.7' }])
    expect(await seen(headers, '198.51.100.1')).toBe('198.51.100.1');
  expect(await seen({ 'x-forwarded-for': '203.0.113.7' }, '::ffff:10.1.2.3')).toBe('203.0.113.7');
  expect(await seen({}, 'fd00::1')).toBe('fd00::1');
});

test('strangers whose addresses arrive with ports cannot lock out an owner behind the same proxy', async () => {
  const owner = await person(service, 'Olivia');
  const signsIn = async (password: string, from: string) =>
    (
      await service.inject({
        method: 'POST',
        url: API_BASE + signIn.path,
        payload: { email: owner.email, password },
        headers: { 'x-forwarded-for': from },
        remoteAddress: PROXY,
      })
    ).statusCode;
  const strangers = Array.from(
    { length: 24 },
    (_, n) => [`198.18.${n}.7:5${n}`, `[2001:db8:${n}::7]:80`, `_hidden${n}`][n % 3] ?? '',
  );
  for (const from of strangers) expect(await signsIn('a guess of a stranger', from)).toBe(400);
  for (const from of ['203.0.113.7:51234', '[2001:db8:ffff::1]:443'])
    expect(await signsIn(owner.password, from)).toBe(200);
});

test.each(['0.0.0.0/0', '::/0', '0.0.0.0/1', '2000::/3', '::ffff:0:0/96', '::/16', '64.0.0.0/7'])(
  'the proxy range %s is too wide to trust',
  (range) => {
    expect(isTooWide(range)).toBe(true);
  },
);

test.each(['10.0.0.0/8', 'fc00::/7', 'fe80::/10', '2400:cb00::/32', '104.16.0.0/13', '10.0.0.1', 'loopback'])(
  'the proxy range %s is narrow enough to trust',
  (range) => {
    expect(isTooWide(range)).toBe(false);
  },
);

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

async function httpService() {
  const http = createHttpServer((request, response) => {
    response.end(request.socket.remoteAddress);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { http, port: (http.address() as AddressInfo).port };
}

const answerAt = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host, port, agent: false }, (response) =>
      response.on('data', (text) => resolve(String(text))),
    ).once('error', reject);
  });

test.runIf(hasIpv6)('both loopback addresses reach the service until it closes', async () => {
  const { http, port } = await httpService();
  const { isTaken, close } = await listenOnIpv6Loopback(http, port);
  expect(isTaken).toBe(false);
  expect(await answerAt('127.0.0.1', port)).toBe('127.0.0.1');
  expect(await answerAt('::1', port)).toBe('::1');
  close();
  await expect(answerAt('::1', port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  http.closeAllConnections();
  http.close();
});

test.runIf(hasIpv6)('a port on ::1 that another program uses is left to it', async () => {
  const { http, port } = await httpService();
  const other = createHttpServer((_, response) => response.end('another program')).listen(port, '::1');
  await once(other, 'listening');
  expect((await listenOnIpv6Loopback(http, port)).isTaken).toBe(true);
  expect(await answerAt('::1', port)).toBe('another program');
  expect(await answerAt('127.0.0.1', port)).toBe('127.0.0.1');
  for (const one of [http, other]) {
    one.closeAllConnections();
    one.close();
  }
});
