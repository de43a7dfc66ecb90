import { API_BASE } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { type TestService, testService } from './service.ts';

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
    testService({ env: { PUBLIC_URL: DASHBOARD, API_URL: 'https://api.example.com' } }),
  );

  test('the dashboard’s preflight requests succeed on every route', async () => {
    for (const { path, method } of routes) {
      const answer = await preflight(service, path, DASHBOARD, method);
      expect(answer.statusCode).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(DASHBOARD);
      expect(answer.headers['access-control-allow-methods']).toContain(method);
      expect(answer.headers['access-control-allow-headers']).toBe('authorization,content-type');
    }
  });

  test('no other origin is allowed, and credentials are never allowed', async () => {
    for (const origin of ['https://evil.example', 'null', 'https://otp.example.com.evil.example']) {
      const answer = await preflight(service, '/users/me', origin, 'GET');
      expect(answer.headers['access-control-allow-origin'] ?? DASHBOARD).toBe(DASHBOARD);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test('the dashboard can read refusals, so that it refreshes its token after a 401', async () => {
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
