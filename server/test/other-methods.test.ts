import { failures } from '@sixdigit/contract/errors.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { testOperator } from './operator.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const service = fixture(testService);
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
  test('another method gets 405 and the methods that exist, without credentials and whatever the body', async () => {
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
  test('another method gets 405 for an operator, and is unknown to everybody else', async () => {
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

test('a fixed path takes requests only from paths whose parameter is a UUID', async () => {
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
    'DELETE /auth/sessions/:id/ by /auth/sessions/end-all/',
    'DELETE /profile/passkeys/:id/ by /profile/passkeys/options/',
    'GET /otp/:otp_id/ by /otp/check-destination/',
    'GET /otp/:otp_id/ by /otp/send/',
    'GET /otp/:otp_id/ by /otp/verify/',
    'PUT /profile/passkeys/:id/ by /profile/passkeys/options/',
  ]);
});
