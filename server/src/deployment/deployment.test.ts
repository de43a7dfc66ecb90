import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Deployment, SandboxMessage } from '#contract/deployment.ts';
import { sendOtp, verifyOtp } from '#contract/otp.ts';
import { routes } from '#contract/routes.ts';
import { runSql } from '../../test/database-url.ts';
import { startReverseProxy } from '../../test/fakes/reverse-proxy.ts';
import { type Customer, type TestService, testService } from '../../test/service.ts';
import { createServer } from '../platform/http/server.ts';
import { startWork } from '../platform/queue/work.ts';
import { sandboxRoutes } from '../sandbox/routes.ts';
import { operationRoutes } from './deployment.ts';

let service: TestService;
let alice: Customer;

beforeAll(async () => {
  service = await testService();
  alice = await service.customer('Alice');
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  service.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers }, remoteAddress });
const send = (recipient: string, channel = 'email') =>
  service.call(sendOtp, { apiKey: alice.api_key, body: { channel, recipient } });

describe('health', () => {
  test('the process reports that it is up', async () => {
    const answer = await get('/healthz');
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('the service is ready once a worker has renewed its lease, and names the failing check until then', async () => {
    const waiting = await get('/readyz');
    expect(waiting.statusCode).toBe(503);
    expect(waiting.json()).toEqual({
      status: 'not ready',
      checks: { database: 'ok', migrations: 'ok', worker: 'failed' },
    });
    const work = await startWork(service.app, [], 'test');
    expect((await get('/readyz')).statusCode).toBe(200);
    await work.stop();
  });

  test('a missing migration or database makes the service unready', async () => {
    await using other = await testService();
    await runSql(other.databaseUrl, `delete from schema_migrations where name like '0002%'`);
    const lacking = await other.inject({ method: 'GET', url: '/readyz' });
    expect(lacking.json().checks).toMatchObject({ database: 'ok', migrations: 'failed' });
    const name = new URL(other.databaseUrl).pathname.slice(1);
    const admin = new URL(other.databaseUrl);
    admin.pathname = '/postgres';
    await runSql(admin.href, `alter database ${name} allow_connections false`);
    await runSql(
      admin.href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const away = await other.inject({ method: 'GET', url: '/readyz' });
    expect(away.statusCode).toBe(503);
    expect(away.json().checks).toMatchObject({ database: 'failed' });
    expect((await other.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
    await runSql(admin.href, `alter database ${name} allow_connections true`);
  });

  test('an API process without a worker role is ready without a worker', async () => {
    const server = await createServer(service.app, service.server.authenticators);
    await operationRoutes(server, service.app, { works: false });
    const answer = await server.inject({ method: 'GET', url: '/readyz' });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', migrations: 'ok' } },
    ]);
    await server.close();
  });
});

describe.each(['/metrics', '/sandbox/messages'])('%s', (url) => {
  test.each([
    ['localhost:3000', '127.0.0.1'],
    ['127.0.0.1:3000', '127.0.0.1'],
    ['[::1]:3000', '::1'],
    ['localhost', '::ffff:127.0.0.1'],
  ])('is open to this machine as %s from %s', async (host, remote) => {
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
  ])('does not exist for %s', async (_, headers, remote) => {
    expect((await get(url, headers, remote)).statusCode).toBe(404);
  });

  test('does not exist behind a proxy that rewrites Host, as nginx does', async () => {
    await using exposed = await testService({ isPublic: true });
    const upstream = await exposed.listen();
    await using proxy = await startReverseProxy(upstream, (headers) => ({
      ...headers,
      host: new URL(upstream).host,
    }));
    expect((await fetch(`${proxy.url}${url}`)).status).toBe(404);
    expect((await fetch(`${upstream}${url}`)).status).toBe(404);
  });

  test('is open from anywhere with the token, and with no other', async () => {
    const METRICS_TOKEN = 'a token of the operator'.replaceAll(' ', '-');
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

  test('is open to everyone if the operator allows it', async () => {
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

describe('the sandbox inbox', () => {
  const messages = async (query = '') => (await get(`/sandbox/messages${query}`)).json();

  test('lists messages newest first, and finds a recipient in any spelling', async () => {
    await send('first@example.com');
    await service.drain();
    await send('+14155552671', 'sms');
    await service.drain();
    const all = await messages();
    expect(all.map(({ recipient }: SandboxMessage) => recipient)).toEqual([
      '+14155552671',
      'first@example.com',
    ]);
    for (const message of all) expect(Object.keys(SandboxMessage.parse(message))).toHaveLength(8);
    const recipients = [
      'First@Example.com',
      '%2B14155552671',
      '+14155552671',
      '(415)%20555-2671',
      '14155552671',
    ];
    for (const recipient of recipients) expect(await messages(`?recipient=${recipient}`)).toHaveLength(1);
    expect(await messages('?recipient=nobody@example.com')).toEqual([]);
    const [mail] = await messages('?recipient=first@example.com');
    expect(mail).toMatchObject({
      channel: 'email',
      code: expect.stringMatching(/^\d{6}$/),
      html: expect.any(String),
    });
    expect(mail.text).toContain(mail.code);
  });

  test('refuses a query that does not name one recipient', async () => {
    for (const query of ['?recipient=a&recipient=b', '?recipient=%00'])
      expect((await get(`/sandbox/messages${query}`)).statusCode).toBe(400);
  });

  test('does not exist outside a sandbox, even if SANDBOX_INBOX is public', async () => {
    const { app } = service;
    const real = { ...app, config: { ...app.config, sandbox: false, publicInbox: true } };
    const server = await createServer(real, service.server.authenticators);
    sandboxRoutes(server, real);
    await operationRoutes(server, real);
    const answer = await server.inject({ method: 'GET', url: '/sandbox/messages' });
    expect(answer.statusCode).toBe(404);
    await server.close();
  });
});

describe('metrics', () => {
  const scrape = async () => (await get('/metrics')).body;
  const value = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1),
    );

  test('count responses, sends, verifies and carrier outcomes under fixed names', async () => {
    await using fresh = await testService();
    const owner = await fresh.customer('Alice');
    const asked = (apiKey: string, recipient: string) =>
      fresh.call(sendOtp, { apiKey, body: { channel: 'email', recipient } });
    const { body } = await asked(owner.api_key, 'one@example.com');
    await asked(owner.api_key, 'not an address');
    await asked('nonsense', 'one@example.com');
    await fresh.drain();
    await fresh.call(verifyOtp, { apiKey: owner.api_key, body: { otp_id: body.otp_id, code: '00' } });
    await fresh.call(verifyOtp, {
      apiKey: owner.api_key,
      body: { otp_id: owner.account_id, code: '000000' },
    });
    await fresh.inject({ method: 'GET', url: `/api/v1/nothing/${owner.account_id}` });
    const text = (await fresh.inject({ method: 'GET', url: '/metrics' })).body;
    expect(value(text, 'sixdigit_sends_total{outcome="accepted"}')).toBe(1);
    expect(value(text, 'sixdigit_sends_total{outcome="invalid_fields"}')).toBe(1);
    expect(value(text, 'sixdigit_sends_total{outcome="invalid_api_key"}')).toBe(1);
    expect(value(text, 'sixdigit_verifies_total{outcome="invalid_fields"}')).toBe(1);
    expect(value(text, 'sixdigit_verifies_total{outcome="otp_not_found"}')).toBe(1);
    expect(value(text, 'sixdigit_http_requests_total{route="sendOtp",method="POST",status="201"}')).toBe(1);
    expect(
      value(text, 'sixdigit_carrier_outcomes_total{carrier="sandbox",channel="email",outcome="accepted"}'),
    ).toBe(1);
    for (const id of [owner.account_id, owner.api_key_id, body.otp_id, 'example.com'])
      expect(text).not.toContain(id);
  });

  test('report queue lengths, the state of the database and the delay of the event loop', async () => {
    await send('queued@example.com');
    const text = await scrape();
    expect(value(text, 'sixdigit_queue_messages{channel="email"}')).toBe(1);
    expect(value(text, 'sixdigit_queue_messages{channel="sms"}')).toBe(0);
    expect(value(text, 'sixdigit_queue_oldest_seconds{channel="email"}')).toBeGreaterThanOrEqual(0);
    expect(value(text, 'sixdigit_database_up')).toBe(1);
    expect(value(text, 'sixdigit_database_connections{state="open"}')).toBeGreaterThan(0);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    await service.drain();
    expect(value(await scrape(), 'sixdigit_queue_messages{channel="email"}')).toBe(0);
  });
});

test('metrics follow the naming rules of Prometheus: only counters end with _total', async () => {
  const text = (await get('/metrics')).body;
  const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  for (const [, name, type] of types)
    expect([name, name?.endsWith('_total')]).toEqual([name, type === 'counter']);
  expect(text).toMatch(/^nodejs_active_resources\{type=/m);
});

describe('the deployment', () => {
  const deployment = async (env: Record<string, string>, host = 'localhost:3000') => {
    await using other = await testService({ env });
    const answer = await other.inject({ method: 'GET', url: '/config.json', headers: { host } });
    return Deployment.parse(answer.json());
  };

  test('is described to the dashboard', async () => {
    expect(await deployment({ BRAND_NAME: 'Acme', SUPPORT_EMAIL: 'help@acme.test' })).toEqual({
      brand_name: 'Acme',
      support_email: 'help@acme.test',
      api_url: 'http://sixdigit.test/api/v1',
      stripe_publishable_key: null,
      cards: 'sandbox',
      sandbox: { channels: ['sms', 'voice', 'email'], cards: true, inbox: true },
      channels: ['sms', 'voice', 'email'],
      sms_max_segments: 2,
    });
  });

  test('names API_URL if it is set, and otherwise the address of the request', async () => {
    expect((await deployment({ API_URL: 'https://api.acme.test' })).api_url).toBe(
      'https://api.acme.test/api/v1',
    );
    for (const url of ['http://127.0.0.1:3000', 'http://0.0.0.0:3000', 'http://[::1]:3000'])
      expect((await deployment({ PUBLIC_URL: url }, 'laptop.local:3000')).api_url).toBe(
        'http://laptop.local:3000/api/v1',
      );
  });

  test('reports real carriers and cards in production', async () => {
    const real = await deployment({
      NODE_ENV: 'production',
      SMTP_URL: 'smtp://127.0.0.1:1',
      EMAIL_FROM: 'otp@acme.test',
    });
    expect(real).toMatchObject({ sandbox: null, cards: 'none', channels: ['email'] });
    const mixed = await deployment({ SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'otp@acme.test' });
    expect(mixed.sandbox).toEqual({ channels: ['sms', 'voice'], cards: true, inbox: true });
  });

  test('describes every call as OpenAPI', async () => {
    const answer = await get('/api/v1/openapi.json');
    const { openapi, paths } = answer.json();
    expect(openapi).toBe('3.1.0');
    for (const { path, method } of routes)
      expect(paths[path.replace(/:(\w+)/g, '{$1}')]).toHaveProperty(method.toLowerCase());
  });
});

describe('the dashboard', () => {
  const dist = mkdtempSync(join(tmpdir(), 'sixdigit-dist-'));
  const nowhere = join(dist, 'nowhere');
  const PAGE = '<!doctype html><script nonce="__CSP_NONCE__" src="/assets/app-1a2b.js"></script>';
  const serverFor = async (folder: string) => {
    const server = await createServer(service.app, service.server.authenticators);
    await operationRoutes(server, service.app, { dist: folder });
    return server;
  };
  let server: Awaited<ReturnType<typeof serverFor>>;
  const browse = (url: string, accept = 'text/html,*/*') =>
    server.inject({ method: 'GET', url, headers: { accept } });

  beforeAll(async () => {
    mkdirSync(join(dist, 'assets'));
    mkdirSync(join(dist, '.vite'));
    writeFileSync(join(dist, 'index.html'), PAGE);
    writeFileSync(join(dist, 'icon.svg'), '<svg/>');
    writeFileSync(join(dist, '.vite/manifest.json'), '{}');
    writeFileSync(join(dist, 'assets/app-1a2b.js'), 'console.log(1)');
    writeFileSync(join(dist, 'assets/app-1a2b.js.gz'), gzipSync('console.log(1)'));
    writeFileSync(join(dist, 'assets/app-1a2b.js.br'), brotliCompressSync('console.log(1)'));
    server = await serverFor(dist);
  });
  afterAll(async () => {
    await server.close();
    rmSync(dist, { recursive: true });
  });

  test.each(['/', '/sign-in', '/logs?page=2', '/sandbox', '/index.html', '/no/such/screen'])(
    '%s is a screen: the page is revalidated at each load and has a new nonce',
    async (url) => {
      const [one, two] = [await browse(url), await browse(url)];
      expect(one.statusCode).toBe(200);
      expect(one.headers).toMatchObject({
        'cache-control': 'no-cache',
        'content-type': 'text/html; charset=utf-8',
      });
      const nonce = /nonce="([^"]+)"/.exec(one.body)?.[1];
      expect(one.headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
      expect(one.headers['content-security-policy']).not.toContain("style-src 'self' 'unsafe-inline'");
      expect(two.body).not.toBe(one.body);
    },
  );

  test('files with a hash in their name are cached for ever, others are revalidated', async () => {
    const asset = await browse('/assets/app-1a2b.js', '*/*');
    expect(asset.body).toBe('console.log(1)');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const icon = await browse('/icon.svg', '*/*');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml' });
    expect(icon.headers['cache-control']).toBe('public, max-age=0');
    expect(icon.headers.etag).toBeDefined();
  });

  test('files are compressed with an encoding that the caller accepts', async () => {
    const asset = (encodings: string) =>
      server.inject({
        method: 'GET',
        url: '/assets/app-1a2b.js',
        headers: { 'accept-encoding': encodings },
      });
    const [brotli, gzip, plain] = [await asset('gzip, br'), await asset('gzip'), await asset('identity')];
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe('console.log(1)');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe('console.log(1)');
    expect(plain.body).toBe('console.log(1)');
    expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    for (const { headers } of [brotli, gzip, plain]) {
      expect(headers.vary).toContain('accept-encoding');
      expect(headers['content-type']).toContain('javascript');
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect((await browse('/icon.svg', '*/*')).headers['content-encoding']).toBeUndefined();
    expect((await browse('/assets/app-1a2b.js.gz', '*/*')).statusCode).toBe(404);
  });

  test('a path that is no file and no screen is not found, and paths cannot leave the folder', async () => {
    for (const [url, accept] of [
      ['/assets/gone.js', '*/*'],
      ['/api/v1/nothing', 'text/html'],
      ['/.vite/manifest.json', '*/*'],
      ['/../package.json', '*/*'],
      ['/%2e%2e/package.json', '*/*'],
      ['/assets/..%2f..%2fpackage.json', '*/*'],
      ['/%ff', '*/*'],
    ] as const) {
      const answer = await browse(url, accept);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ reason: 'not_found' });
    }
    expect((await server.inject({ method: 'POST', url: '/sign-in' })).statusCode).toBe(404);
  });

  test('without a built dashboard, pages name the cause and the API works', async () => {
    const bare = await serverFor(nowhere);
    const answer = await bare.inject({ method: 'GET', url: '/', headers: { accept: 'text/html' } });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toContain('npm start');
    expect((await bare.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
    await bare.close();
  });
});
