import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { doctorRuns } from '../../../../test/doctor.ts';
import { selfSigned } from '../../../../test/fakes/certificate.ts';
import { listen } from '../../../../test/fakes/http-listener.ts';
import { startReverseProxy } from '../../../../test/fakes/reverse-proxy.ts';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { arrivalFindings } from './public-url.ts';

const { found } = doctorRuns();

describe('the doctor on the public address', () => {
  const service = fixture(testService);
  const believing = fixture(() => testService({ env: { TRUSTED_PROXIES: 'loopback' } }));
  let origin: string;
  let believingOrigin: string;
  beforeAll(async () => {
    origin = await service.listen();
    believingOrigin = await believing.listen();
  });
  const say = async (PUBLIC_URL: string, env = {}) =>
    (await found('public url', { PUBLIC_URL, ...env })).join();

  test('the doctor recognises this service', async () => {
    expect(await say(origin)).toMatch(/^ok: .* leads to this service/);
    expect(await found('api url', { PUBLIC_URL: origin, API_URL: `${origin}/api/v1` })).toHaveLength(1);
  });

  test('the doctor reports an unreachable address, another service and a redirect', async () => {
    expect(await say('http://127.0.0.1:8')).toMatch(
      /^problem: .* cannot be reached from here: the connection was refused/,
    );
    expect(await say(origin, { SECRET_KEY: 'a server key of another service' })).toMatch(
      /^problem: .* responds, but not as this service/,
    );
    const broken = await listen(() => ({ status: 502, body: {} }));
    expect(await say(broken.origin)).toMatch(/^problem: .* responds with HTTP 502/);
    await broken.close();
    const onwards = await listen(() => ({ status: 301, body: {} }));
    expect(await say(onwards.origin)).toMatch(/^problem: .* redirects to another address/);
    await onwards.close();
  });

  test('the doctor uses a probe that refuses unsigned requests', async () => {
    for (const query of [
      '',
      '?nonce=a&at=0&signature=b',
      `?nonce=a&at=${Math.floor(Date.now() / 1000)}&signature=`,
    ])
      expect((await fetch(`${origin}/api/v1/reflection${query}`)).status).toBe(404);
  });

  test('the doctor names an untrusted certificate as the cause', async () => {
    const server = createServer(selfSigned(['localhost']), (_request, answer) => answer.end('{}'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    expect(await say(`https://localhost:${port}`)).toMatch(/^problem: .* its TLS certificate is not valid/);
    await new Promise((done) => server.close(done));
  });

  test('the doctor reports an address without https in production', async () => {
    expect(await say('http://codes.example.invalid', { NODE_ENV: 'production' })).toContain(
      'problem: It is not https',
    );
  });

  test('the doctor warns about a local address with a carrier that sends callbacks', async () => {
    const env = { HTTP_CARRIER_URL: 'http://127.0.0.1:8', HTTP_CARRIER_SECRET: 'a secret of the carrier' };
    expect(await say(origin, env)).toContain('warning: It is an address of this machine alone');
  });

  test('the doctor reports a proxy that is not trusted, sends no X-Forwarded-For or adds to it', async () => {
    const client = '203.0.113.9';
    const proxied = async (to: string, rewrite: Parameters<typeof startReverseProxy>[1]) => {
      await using proxy = await startReverseProxy(to, rewrite);
      return await say(proxy.url);
    };
    const replaces = (headers: object) => ({ ...headers, 'x-forwarded-for': client });
    expect(await proxied(believingOrigin, replaces)).toContain(`ok: `);
    const here = (headers: object) => ({ ...headers, 'x-forwarded-for': '127.0.0.1' });
    expect(await proxied(believingOrigin, here)).toContain(`ok: `);
    expect(await proxied(origin, replaces)).toMatch(
      /^problem: All clients seem to come from 127\.0\.0\.1 and share one rate limit, because the proxy is not trusted.* → Set TRUSTED_PROXIES=127\.0\.0\.1/,
    );
    const silent = ({ 'x-forwarded-for': _, ...headers }: Record<string, unknown>) => headers as never;
    expect(await proxied(believingOrigin, silent)).toMatch(/^problem: .* the proxy sends no X-Forwarded-For/);
    const adds = (headers: Record<string, unknown>) =>
      ({ ...headers, 'x-forwarded-for': `${headers['x-forwarded-for']}, 127.0.0.1` }) as never;
    expect(await proxied(believingOrigin, adds)).toMatch(
      /^warning: This machine \(127\.0\.0\.1\) is in TRUSTED_PROXIES/,
    );
  });

  test('the doctor finds a proxy that passes none of the usual headers after a browser has come through it', async () => {
    await using hidden = await testService();
    const here = await hidden.listen();
    const bare = ({ 'x-forwarded-for': _, 'x-forwarded-proto': __, ...headers }: Record<string, unknown>) =>
      ({ ...headers, host: new URL(here).host }) as never;
    expect(await say(here)).toMatch(/^ok: /);
    await using proxy = await startReverseProxy(here, bare);
    await fetch(`${proxy.url}/config.json`, {
      headers: { referer: 'https://otp.example.com/sign-in', 'sec-fetch-site': 'same-origin' },
    });
    expect(await say(here)).toMatch(
      /^problem: Browsers reach it as otp\.example\.com through a proxy that passes none of the usual headers.* → Set PUBLIC_URL/,
    );
  });

  test('the doctor reports a TLS proxy that passes on X-Forwarded-For or does not report https', () => {
    const seen = {
      proof: '',
      ip: '203.0.113.9',
      peer: '10.0.0.2',
      protocol: 'https',
      believed: true,
      forwarded: '203.0.113.9',
      hidden: null,
    };
    const says = (more: object) =>
      arrivalFindings('public url', 'https://otp.example.com', { ...seen, ...more }).map((one) => one.says);
    expect(says({})).toEqual([]);
    expect(says({ ip: '192.0.2.77', forwarded: '192.0.2.77' })[0]).toMatch(/passes on the X-Forwarded-For/);
    expect(says({ protocol: 'http' })[0]).toMatch(/does not report that clients use https/);
  });
});
