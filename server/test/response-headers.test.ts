import { expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { sender } from './sender.ts';
import { testService } from './service.ts';

/** Response headers for browsers and caches, and the trust in forwarded addresses. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));

test('no response of the API may be cached or sniffed, refusals included', async () => {
  const success = await alice.send('reader@example.com');
  const refusal = await alice.send('no address');
  const unknown = await service.inject({ method: 'GET', url: '/api/v1/nothing/' });
  expect([success.status, refusal.status, unknown.statusCode]).toEqual([201, 400, 404]);
  for (const { headers } of [success, refusal, unknown])
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
