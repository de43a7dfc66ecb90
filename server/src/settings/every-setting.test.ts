import { Resolver } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { PRODUCTION, problemsOf } from '../../test/settings.ts';
import { normalisePhone } from '../platform/addresses/phone.ts';
import { createServer } from '../platform/http/server.ts';
import { examineConfig, readConfig, SETTING_NAMES } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'every-setting-'));
const service = fixture(testService);
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** Slips and nonsense. Each is wrong for most settings and right for some. */
const VALUES = [
  ...[
    'x',
    '-1',
    '0',
    '1.5',
    '1e9',
    '99999999999',
    'NaN',
    'true',
    'null',
    '[]',
    '{}',
    ',',
    ', ,',
    'a,b',
    '*',
    '%',
    '%zz',
  ],
  ...[
    'http://',
    'http:// x',
    'https://[::1',
    'https://otp.example.com:99999',
    'ftp://example.com',
    '//example.com',
  ],
  ...[
    'postgres://',
    'postgres://%',
    'postgres://a:%zz@h/db',
    'postgres://h:99999/db',
    'postgres://h:x/db',
    'postgres://a@b@c',
  ],
  ...['smtp://', 'smtp://%zz', 'smtp://h:99999', 'smtp://a:%zz@h', 'smtps://h?x=y'],
  ...[
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '::ffff:0:0/96',
    '127.1',
    'fe80::1%eth0',
  ],
  ...['1.2.3.4:99999', '1.2.3.4:0', '[::1]:0', '[::1]:99999', '[x]', 'loopback', 'LOOPBACK'],
  ...[
    'ZZ',
    'us',
    'USA',
    'é',
    '\u202e',
    'a\nb',
    'a\u0000b',
    'x'.repeat(5_000),
    '/',
    '/dev/null',
    '"quoted"',
    '../..',
  ],
  ...['aaaaaaaaaaaaaaaa', 'whsec_', 'v1,whsec_x', 'sk_live_é', 'prod', 'Production'],
];

const served = new Set<string>();

describe.each([...SETTING_NAMES])('%s', (name) => {
  test.each([
    ['alone', {}],
    ['in production', PRODUCTION],
  ])('every value of a setting is either accepted or refused with a clear message, %s', async (_, base) => {
    for (const [n, value] of VALUES.entries()) {
      const file = join(folder, String(n));
      writeFileSync(file, value);
      for (const env of [
        { ...base, [name]: value },
        { ...base, [name]: '', [`${name}_FILE`]: file },
      ]) {
        const { config, problems } = examineConfig(env);
        for (const problem of problems) expect(problem).toMatch(/^[A-Za-z][^\0\n]{10,600}$/);
        // Repeats the steps of a start that need no other machine.
        if (problems.length === 0) expect(readConfig(env)).toEqual(config);
        const { trustedProxies, publicUrl, apiUrl, stripe } = config;
        const hosts = JSON.stringify([trustedProxies, publicUrl, apiUrl, stripe]);
        if (!served.has(hosts)) {
          served.add(hosts);
          const server = await createServer({ ...service.app, config }, service.server.authenticators);
          const headers = { 'x-forwarded-for': '203.0.113.7' };
          expect((await server.inject({ url: '/', headers })).statusCode).toBe(404);
          await server.close();
        }
        if (config.dnsServers.length > 0) new Resolver().setServers(config.dnsServers);
        for (const url of [config.databaseUrl, config.migrateDatabaseUrl])
          if (url) expect(new pg.Client({ connectionString: url }).host).toBeDefined();
        normalisePhone('4155552671', { defaultRegion: config.defaultRegion });
      }
    }
  });
});

test.each(['METRICS_TOKEN', 'HTTP_CARRIER_SECRET', 'SECRET_KEY'])(
  'a value of %s that is easy to guess is refused',
  (name) => {
    const others = name === 'HTTP_CARRIER_SECRET' ? { HTTP_CARRIER_URL: 'https://sms.example.com' } : {};
    for (const value of [
      'aaaaaaaaaaaaaaaa',
      'abababababababab',
      '1234567890123456',
      'abcdefghijklmnop',
      'passwordpassword1',
      ...(name === 'METRICS_TOKEN' ? ['metrics-token-1234', 'prometheus-2026-token'] : []),
    ])
      for (const base of name === 'SECRET_KEY' ? [PRODUCTION, { HOST: '0.0.0.0' }] : [{}, PRODUCTION])
        expect(problemsOf({ ...base, ...others, [name]: value })).toEqual([
          expect.stringMatching(
            new RegExp(`^${name} (is easy to guess|has only \\d+ different).*random text`),
          ),
        ]);
    for (const value of ['pN2v8Kq0sXw5zR1tYb7LmC4dFh6JgA3e', '7f1c0a94be52d863f0e19a4c6b7d2853'])
      expect(problemsOf({ ...others, [name]: value })).toEqual([]);
  },
);

test.each(['0.0.0.0/0', '::/0', '10.0.0.1, 0.0.0.0/0', '128.0.0.0/1'])(
  'TRUSTED_PROXIES=%s, which trusts strangers, is refused',
  (value) => {
    expect(problemsOf({ TRUSTED_PROXIES: value })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES holds a range that trusts strangers/),
    ]);
  },
);
