import { failures } from '@sixdigit/contract/errors.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { testOperator } from './operator.ts';
import { sender } from './sender.ts';
import { type TestService, testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** Response headers for browsers and caches, and the trust in forwarded addresses. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));

test('API responses, including refusals, forbid caching and content sniffing', async () => {
  const success = await alice.send('reader@example.com');
  const refusal = await alice.send('no address');
  const unknown = await service.inject({ method: 'GET', url: '/api/v1/nothing/' });
  const camara = '/compat/camara/one-time-password-sms/v1/send-code';
  const compatible = await Promise.all([
    service.inject({
      method: 'POST',
      url: camara,
      headers: { authorization: `Bearer ${alice.api_key}` },
      payload: { phoneNumber: '+14155550100', message: '{{code}}' },
    }),
    service.inject({ method: 'POST', url: camara }),
    service.inject({ method: 'GET', url: '/compat/twilio/v2/Services' }),
    service.inject({ method: 'GET', url: '/compat/twilio/nothing' }),
    service.inject({ method: 'GET', url: '/compat/nothing/%' }),
  ]);
  expect([success.status, refusal.status, unknown.statusCode]).toEqual([201, 400, 404]);
  expect(compatible.map(({ statusCode }) => statusCode)).toEqual([200, 401, 401, 404, 404]);
  for (const { headers } of [success, refusal, unknown, ...compatible])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
});

test('pages cannot be framed and load scripts and resources only from this origin', async () => {
  const { headers } = await service.inject({ method: 'GET', url: '/' });
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/, 2)),
  );
  expect(policy).toMatchObject({
    'default-src': "'self'",
    'base-uri': "'none'",
    'object-src': "'none'",
    'frame-ancestors': "'none'",
    'form-action': "'self'",
    // the page's own script by its hash, if the dashboard is built
    'script-src': expect.stringMatching(/^'self'( 'sha256-[A-Za-z0-9+/]{43}=')?$/),
    'connect-src': "'self'",
  });
  expect(headers['referrer-policy']).toBe('same-origin');
});

test('without trusted proxies, a forwarded address is ignored', async () => {
  const { headers } = await alice.send('reader@example.com', {}, { 'x-forwarded-for': '203.0.113.7' });
  const row = await service.app.db.one<{ ip_address: string }>(
    'select host(ip_address) as ip_address from request_logs where id = $1',
    [headers['x-request-id']],
  );
  expect(row.ip_address).toBe('127.0.0.1');
});

/** With a separate API host, only pages of the dashboard's origin may call the API. */
const DASHBOARD = 'https://otp.example.com';

const preflight = (service: TestService, path: string, origin: string, method: string) =>
  service.inject({
    method: 'OPTIONS',
    url: API_BASE + path,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });

describe('an API on a separate host', () => {
  const service = fixture(() =>
    testService({
      env: {
        PUBLIC_URL: DASHBOARD,
        API_URL: 'https://api.example.com',
        STRIPE_SECRET_KEY: 'sk_live_1',
        STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
      },
    }),
  );

  test('pages also reach the API host and Stripe, and load the scripts and frames of Stripe', async () => {
    const { headers } = await service.inject({ method: 'GET', url: '/' });
    const policy = String(headers['content-security-policy']);
    const scripts = 'https://js.stripe.com https://*.js.stripe.com';
    expect(policy).toMatch(/connect-src 'self' https:\/\/api\.example\.com https:\/\/api\.stripe\.com(;|$)/);
    expect(policy).toContain(`frame-src 'self' ${scripts} https://hooks.stripe.com`);
    expect(policy).toMatch(
      /script-src 'self'( 'sha256-[^']+')? https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com/,
    );
  });

  test('the dashboard’s preflight requests to a separate API host succeed on every route', async () => {
    for (const { path, method } of routes) {
      const answer = await preflight(service, path, DASHBOARD, method);
      expect(answer.statusCode).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(DASHBOARD);
      expect(answer.headers['access-control-allow-methods']).toContain(method);
      expect(answer.headers['access-control-allow-headers']).toBe('authorization,content-type');
    }
  });

  test('CORS allows no other origin and never credentials', async () => {
    for (const origin of ['https://evil.example', 'null', 'https://otp.example.com.evil.example']) {
      const answer = await preflight(service, '/users/me', origin, 'GET');
      expect(answer.headers['access-control-allow-origin'] ?? DASHBOARD).toBe(DASHBOARD);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('the dashboard can read refusals of a separate API host, so it can refresh its token after a 401', async () => {
    const calls = [
      { method: 'GET', url: `${API_BASE}/users/me` },
      { method: 'POST', url: `${API_BASE}/auth/signin`, payload: {} },
      {
        method: 'POST',
        url: `${API_BASE}/auth/signin`,
        payload: '{',
        headers: { 'content-type': 'application/json' },
      },
      { method: 'GET', url: `${API_BASE}/nothing` },
    ] as const;
    for (const call of calls) {
      const headers = { origin: DASHBOARD, ...('headers' in call ? call.headers : {}) };
      const answer = await service.inject({ ...call, headers });
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect({ url: call.url, origin: answer.headers['access-control-allow-origin'] }).toEqual({
        url: call.url,
        origin: DASHBOARD,
      });
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    }
  });
});

test('with one host for API and dashboard, no response has CORS headers', async () => {
  await using service = await testService({ env: { PUBLIC_URL: DASHBOARD } });
  const asked = await preflight(service, '/users/me', 'https://evil.example', 'GET');
  expect(asked.statusCode).toBe(404);
  const answer = await service.inject({
    url: `${API_BASE}/users/me`,
    headers: { origin: 'https://evil.example' },
  });
  for (const { headers } of [asked, answer])
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

const olivia = fixture(() => testOperator(service));

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const REFUSED = { error: failures.method_not_allowed.error, reason: 'method_not_allowed' };

const pathsOf = (all: readonly Route[]) =>
  [...Map.groupBy(all, ({ path }) => path)].map(([path, some]) => {
    const served = some.map(({ method }) => method as (typeof METHODS)[number]);
    const headed = some.some(({ method, stream }) => method === 'GET' && !stream);
    const allowed = METHODS.filter((one) => served.includes(one) || (one === 'HEAD' && headed));
    return { path, allowed, others: METHODS.filter((one) => !allowed.includes(one)) };
  });

const ask = (method: string, path: string, headers: Record<string, string> = {}, slash = '') =>
  service.inject({
    method: method as 'GET',
    url: API_BASE + path.replace(/:\w+/g, '018f0000-0000-7000-8000-000000000000').replace(/\/$/, '') + slash,
    headers,
  });

describe.each(pathsOf(routes))('$path', ({ path, allowed, others }) => {
  test('a wrong method gets 405 with the allowed methods, without credentials and whatever the body', async () => {
    for (const method of others)
      for (const slash of ['', '/']) {
        const answer = await ask(method, path, { 'content-type': 'text/plain' }, slash);
        expect(answer.statusCode, method).toBe(405);
        expect(answer.headers.allow).toBe(allowed.join(', '));
        expect(answer.headers['cache-control']).toBe('no-store');
        if (method !== 'HEAD') expect(answer.json()).toEqual(REFUSED);
      }
  });
});

describe.each(pathsOf(operatorRoutes))('$path', ({ path, allowed, others }) => {
  test('a wrong method on an operator path gets 405 for an operator and 404 for all others', async () => {
    const authorization = `Bearer ${await signedIn(service, olivia)}`;
    const customer = `Bearer ${await signedIn(service, await service.customer('Bob'))}`;
    for (const method of others) {
      const answer = await ask(method, path, { authorization });
      expect(answer.statusCode, method).toBe(405);
      expect(answer.headers.allow).toBe(allowed.join(', '));
      for (const headers of [{}, { authorization: customer }]) {
        const stranger = await ask(method, path, headers as Record<string, string>);
        expect(stranger.statusCode, method).toBe(404);
        expect(stranger.headers.allow).toBeUndefined();
      }
    }
  });
});

test('a fixed path takes precedence only over paths whose parameter is a UUID', async () => {
  const all = [...routes, ...operatorRoutes];
  const shadowed = pathsOf(all).flatMap(({ path, others }) =>
    all
      .filter(
        (route) =>
          route.path !== path &&
          others.includes(route.method as never) &&
          new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path.replace(/:\w+/g, ':x')),
      )
      .map((route) => `${route.method} ${route.path} by ${path}`),
  );
  expect(shadowed.sort()).toEqual([
    'DELETE /api-keys/:id/ by /api-keys/rules/',
    'DELETE /auth/sessions/:id/ by /auth/sessions/end-all/',
    'DELETE /invitations/:id/ by /invitations/accept/',
    'DELETE /invitations/:id/ by /invitations/show/',
    'DELETE /profile/passkeys/:id/ by /profile/passkeys/options/',
    'DELETE /recipients/suppressed/:id/ by /recipients/suppressed/export/',
    'DELETE /templates/:id/ by /templates/preview/',
    'GET /otp/:otp_id/ by /otp/challenges/',
    'GET /otp/:otp_id/ by /otp/check-destination/',
    'GET /otp/:otp_id/ by /otp/send/',
    'GET /otp/:otp_id/ by /otp/verify/',
    'PUT /members/:person_id/ by /members/me/',
    'PUT /profile/passkeys/:id/ by /profile/passkeys/options/',
    'PUT /templates/:id/ by /templates/preview/',
  ]);
});
