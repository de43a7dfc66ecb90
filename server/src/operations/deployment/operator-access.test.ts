import { describe, expect, test } from 'vitest';
import { startReverseProxy } from '../../../test/fakes/reverse-proxy.ts';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  service.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers }, remoteAddress });

describe.each(['/metrics', '/sandbox/messages'])('%s', (url) => {
  test.each([
    ['localhost:3000', '127.0.0.1'],
    ['127.0.0.1:3000', '127.0.0.1'],
    ['[::1]:3000', '::1'],
    ['localhost', '::ffff:127.0.0.1'],
  ])(`${url} is open to this machine as %s from %s`, async (host, remote) => {
    expect((await get(url, { host }, remote)).statusCode).toBe(200);
  });

  test.each([
    ['a peer elsewhere', {}, '203.0.113.9'],
    ['a name that points here', { host: 'evil.example:3000' }, '127.0.0.1'],
    ['a name that looks local', { host: '127.0.0.1.evil.example' }, '127.0.0.1'],
    ['a name that begins like ours', { host: 'localhost.evil.example' }, '127.0.0.1'],
    ['an address of the network', { host: '192.168.1.4:3000' }, '127.0.0.1'],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
    ['a proxy with the standard Forwarded header', { forwarded: 'for=127.0.0.1' }, '127.0.0.1'],
    ['a proxy that names the protocol only', { 'x-forwarded-proto': 'https' }, '127.0.0.1'],
  ])(`${url} does not exist for %s`, async (_, headers, remote) => {
    expect((await get(url, headers, remote)).statusCode).toBe(404);
  });

  test(`${url} does not exist behind a proxy that rewrites Host, as nginx does`, async () => {
    await using exposed = await testService({ isPublic: true });
    const upstream = await exposed.listen();
    await using proxy = await startReverseProxy(upstream, (headers) => ({
      ...headers,
      host: new URL(upstream).host,
    }));
    expect((await fetch(`${proxy.url}${url}`)).status).toBe(404);
    expect((await fetch(`${upstream}${url}`)).status).toBe(404);
  });

  test(`${url} does not exist after a browser has come through a proxy that passes none of the usual headers`, async () => {
    await using hidden = await testService();
    const open = async () =>
      (await hidden.inject({ url, headers: { host: 'localhost:3000' }, remoteAddress: '127.0.0.1' }))
        .statusCode;
    const visit = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
      hidden.inject({ url: '/config.json', headers: { host: '127.0.0.1:3000', ...headers }, remoteAddress });
    const page = { referer: 'https://otp.example.com/sign-in' };
    // Pages of other sites, rebound names, this machine's own pages, and proxies that do pass something.
    await visit({ ...page, 'sec-fetch-site': 'cross-site' });
    await visit(page);
    await visit({ ...page, 'sec-fetch-site': 'same-origin', host: 'otp.example.com' });
    await visit({ referer: 'http://localhost:3000/', 'sec-fetch-site': 'same-origin' });
    await visit({ ...page, 'sec-fetch-site': 'same-origin' }, '203.0.113.9');
    expect(await open()).toBe(200);
    await visit({ ...page, 'sec-fetch-site': 'same-origin' });
    expect(await open()).toBe(404);
  });

  test(`${url} is open from anywhere with the token, and with no other`, async () => {
    const METRICS_TOKEN = 'Operator-pN2v8Kq0sXw5zR1t';
    await using exposed = await testService({ isPublic: true, env: { METRICS_TOKEN } });
    const status = async (authorization?: string) =>
      (
        await exposed.inject({
          method: 'GET',
          url,
          headers: { host: 'otp.example.com', ...(authorization ? { authorization } : {}) },
          remoteAddress: '203.0.113.9',
        })
      ).statusCode;
    expect(await status(`Bearer ${METRICS_TOKEN}`)).toBe(200);
    expect(await status(`bearer ${METRICS_TOKEN}`)).toBe(200);
    for (const wrong of [`${METRICS_TOKEN}x`, METRICS_TOKEN.slice(1), METRICS_TOKEN.toUpperCase(), '', 'é'])
      expect(await status(`Bearer ${wrong}`), wrong).toBe(404);
    expect(await status(METRICS_TOKEN)).toBe(404);
    expect(await status()).toBe(404);
  });

  test(`${url} is open to everyone if the operator allows it`, async () => {
    await using open = await testService({ env: { METRICS: 'public', SANDBOX_INBOX: 'public' } });
    const answer = await open.inject({
      method: 'GET',
      url,
      headers: { host: 'otp.example.com', 'x-forwarded-for': '203.0.113.9' },
      remoteAddress: '10.0.0.7',
    });
    expect(answer.statusCode).toBe(200);
  });
});
