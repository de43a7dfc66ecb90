import { Deployment } from '@sixdigit/contract/deployment.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { runSql } from '../../../test/database-url.ts';
import { startReverseProxy } from '../../../test/fakes/reverse-proxy.ts';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { createWorkerServer } from '../../app.ts';
import { createServer } from '../../platform/http/server.ts';
import { startWork } from '../../platform/queue/work.ts';
import { version } from '../../platform/version.ts';
import { operationRoutes } from './deployment.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  service.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers }, remoteAddress });
const send = (recipient: string, channel = 'email') =>
  service.call(sendOtp, { apiKey: alice.api_key, body: { channel, recipient } });

test('password managers find the page for changing the password', async () => {
  const answer = await get('/.well-known/change-password');
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/settings#password']);
});

describe('health', () => {
  test('the liveness check reports that the process is up', async () => {
    const answer = await get('/healthz');
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok', version }]);
  });

  test('the readiness check names the failing check until a worker has renewed its lease', async () => {
    const waiting = await get('/readyz');
    expect(waiting.statusCode).toBe(503);
    expect(waiting.json()).toEqual({
      status: 'not ready',
      checks: { database: 'ok', migrations: 'ok', server_key: 'ok', worker: 'failed' },
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

  test('an API process is ready without a worker', async () => {
    const server = await createServer(service.app, service.server.authenticators);
    await operationRoutes(server, service.app, { works: false });
    const answer = await server.inject({ method: 'GET', url: '/readyz' });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', migrations: 'ok', server_key: 'ok' } },
    ]);
    await server.close();
  });
});

const scrape = async () => (await get('/metrics')).body;
const value = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

test('metrics count responses, sends, verifies and carrier outcomes under fixed names', async () => {
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

test('metrics report queue lengths, database state and event loop delay', async () => {
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

const TOKEN = 'Zq3vT8xLw0Rb5Ny7';

test('the worker port serves health checks to all clients and metrics to the operator only', async () => {
  await using other = await testService({ isPublic: true, env: { METRICS_TOKEN: TOKEN } });
  const server = await createWorkerServer(other.app, () => false);
  const ask = (url: string, token?: string) =>
    server.inject({
      url,
      headers: { host: 'localhost', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    });
  expect((await ask('/healthz')).statusCode).toBe(200);
  expect((await ask('/readyz')).statusCode).toBe(503);
  const work = await startWork(other.app, [], 'test');
  expect((await ask('/readyz')).statusCode).toBe(200);
  expect((await ask('/metrics')).statusCode).toBe(404);
  expect((await ask('/metrics', 'Zq3vT8xLw0Rb5Ny8')).statusCode).toBe(404);
  expect((await ask('/metrics', TOKEN)).body).toContain(
    'sixdigit_webhook_attempts_total{outcome="failed"} 0',
  );
  for (const url of ['/', '/config.json', '/api/v1/openapi.json', '/api/v1/otp/send/', '/sandbox/messages'])
    expect([url, (await ask(url, TOKEN)).statusCode]).toEqual([url, 404]);
  await work.stop();
  await server.close();
});

test('the worker port reports not ready while the worker stops', async () => {
  let isStopping = false;
  const server = await createWorkerServer(service.app, () => isStopping);
  const work = await startWork(service.app, [], 'test');
  expect((await server.inject({ url: '/readyz' })).statusCode).toBe(200);
  isStopping = true;
  expect((await server.inject({ url: '/readyz' })).statusCode).toBe(503);
  await work.stop();
  await server.close();
});

test('metrics follow the naming rules of Prometheus: only counters end with _total', async () => {
  const text = (await get('/metrics')).body;
  const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  for (const [, name, type] of types)
    expect([name, name?.endsWith('_total')]).toEqual([name, type === 'counter']);
  expect(text).toMatch(/^nodejs_active_resources\{type=/m);
});

const deployment = async (env: Record<string, string>, host = 'localhost:3000') => {
  await using other = await testService({ env });
  const answer = await other.inject({ method: 'GET', url: '/config.json', headers: { host } });
  return Deployment.parse(answer.json());
};

test('the dashboard can read the description of the deployment', async () => {
  expect(await deployment({ BRAND_NAME: 'Acme', SUPPORT_EMAIL: 'help@acme.test' })).toEqual({
    brand_name: 'Acme',
    support_email: 'help@acme.test',
    is_public: false,
    api_url: 'http://sixdigit.test/api/v1',
    stripe_publishable_key: null,
    cards: 'sandbox',
    sandbox: { channels: ['sms', 'voice', 'email', 'whatsapp', 'telegram'], cards: true, inbox: true },
    channels: ['sms', 'voice', 'email', 'whatsapp', 'telegram'],
    sms_max_segments: 2,
    phone_countries: ['US', 'CA'],
    default_country: 'US',
  });
});

test('the deployment reports API_URL if it is set, and otherwise the address of the request', async () => {
  expect((await deployment({ API_URL: 'https://api.acme.test' })).api_url).toBe(
    'https://api.acme.test/api/v1',
  );
  for (const url of ['http://127.0.0.1:3000', 'http://0.0.0.0:3000', 'http://[::1]:3000'])
    expect((await deployment({ PUBLIC_URL: url }, 'laptop.local:3000')).api_url).toBe(
      'http://laptop.local:3000/api/v1',
    );
});

test('the deployment reports real carriers and cards in production', async () => {
  const real = await deployment({
    NODE_ENV: 'production',
    SMTP_URL: 'smtp://127.0.0.1:1',
    EMAIL_FROM: 'otp@acme.test',
  });
  expect(real).toMatchObject({ sandbox: null, cards: 'none', channels: ['email'] });
  const mixed = await deployment({ SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'otp@acme.test' });
  expect(mixed.sandbox).toEqual({
    channels: ['sms', 'voice', 'whatsapp', 'telegram'],
    cards: true,
    inbox: true,
  });
});

test('the deployment serves an OpenAPI document of every call', async () => {
  const answer = await get('/api/v1/openapi.json');
  const { openapi, paths } = answer.json();
  expect(openapi).toBe('3.1.0');
  for (const { path, method } of routes)
    expect(paths[path.replace(/:(\w+)/g, '{$1}')]).toHaveProperty(method.toLowerCase());
});

describe.each(['/metrics', '/sandbox/messages'])('%s', (url) => {
  test.each([
    ['localhost:3000', '127.0.0.1'],
    ['127.0.0.1:3000', '127.0.0.1'],
    ['[::1]:3000', '::1'],
    ['localhost', '::ffff:127.0.0.1'],
  ])(`${url} is open to this machine with the host %s from the address %s`, async (host, remote) => {
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
  ])(`${url} returns 404 to %s`, async (_, headers, remote) => {
    expect((await get(url, headers, remote)).statusCode).toBe(404);
  });

  test(`${url} returns 404 behind a proxy that rewrites Host, as nginx does`, async () => {
    await using exposed = await testService({ isPublic: true });
    const upstream = await exposed.listen();
    await using proxy = await startReverseProxy(upstream, (headers) => ({
      ...headers,
      host: new URL(upstream).host,
    }));
    expect((await fetch(`${proxy.url}${url}`)).status).toBe(404);
    expect((await fetch(`${upstream}${url}`)).status).toBe(404);
  });

  test(`${url} returns 404 after a browser has come through a proxy without forwarding headers`, async () => {
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

  test(`${url} is open from any address with the right token only`, async () => {
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
