/** Strangers know the addresses of connections, so whatever they send there is read in linear time. */

import type { Channel } from '@sixdigit/contract/channels.ts';
import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import { describe, expect, test } from 'vitest';
import { expectQuick, stretched } from '../../test/linear-time.ts';
import { systemClock } from '../platform/clock.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { systemRandom } from '../platform/security/random.ts';
import type { Inbound, Played } from './system.ts';
import { SYSTEM } from './systems/systems.ts';

const SIZE = 24 * 1024;
const HEADER_SIZE = 16 * 1024;
const random = systemRandom(systemClock);
const now = new Date('2026-03-01T00:00:00Z');
const connection_id = random.uuid();
const systems = Object.entries(SYSTEM) as [SystemName, (typeof SYSTEM)[SystemName]][];

const inboundOf = (kind: Channel, { headers, body }: Played): Inbound => ({
  connection_id,
  kind,
  headers,
  bytes: Buffer.from(body),
  text: body,
  params: { account: `AC${connection_id.replaceAll('-', '')}` },
  code_pattern: 'code is {code}',
  now,
});

/** A genuine request, and for Keycloak's plugin the JSON that it builds without escaping. */
function genuineOf(name: SystemName, kind: Channel, secret: string): Played[] {
  const played = SYSTEM[name].play({
    kind,
    recipient: kind === 'email' ? 'ann@example.com' : '+14155550100',
    code: '246802',
    secret,
    connection_id,
    now,
    random,
  });
  const text = 'Your "code" is 246802';
  const unescaped = `{ "key" : "${secret}", "id":"1", "text" : "${text}", "to" : "+14155550100", "from" : "x" }`;
  return name === 'keycloak'
    ? [played, { headers: { 'content-type': 'application/json' }, body: unescaped }]
    : [played];
}

const isExpected = (error: unknown): boolean => error instanceof Failure || error instanceof FieldErrors;

describe.each(systems)('%s', (name, system) => {
  const secrets = [system.newSecret({ random }), system.newSecret({ random })];
  const proves = (inbound: Inbound): boolean =>
    (system.isFromHead?.(inbound, secrets) ?? false) || (system.isFromBody?.(inbound, secrets) ?? false);
  const read = (inbound: Inbound) => {
    try {
      return system.read(inbound);
    } catch (error) {
      if (!isExpected(error)) throw error;
      return [];
    }
  };

  test(`the genuine request of ${name} proves itself with either of two secrets`, () => {
    for (const secret of secrets)
      for (const kind of system.kinds)
        for (const played of genuineOf(name, kind, secret)) {
          const inbound = inboundOf(kind, played);
          expect(proves(inbound)).toBe(true);
          expect(read(inbound)).toMatchObject([{ code: '246802' }]);
        }
  });

  test(`the largest bodies of repeated texts are compared and read in linear time by ${name}`, async () => {
    for (const kind of system.kinds)
      for (const { headers, body } of genuineOf(name, kind, secrets[0] ?? ''))
        for (const stretch of stretched(body, SIZE)) {
          const inbound = inboundOf(kind, { headers, body: stretch });
          await expectQuick(`${name} proves ${stretch}`, () => proves(inbound));
          await expectQuick(`${name} reads ${stretch}`, () => read(inbound));
        }
  });

  test(`the largest headers of repeated texts are compared in linear time by ${name}`, async () => {
    const [kind] = system.kinds as [Channel];
    for (const { headers, body } of genuineOf(name, kind, secrets[0] ?? ''))
      for (const [header, value] of Object.entries(headers))
        for (const stretch of stretched(value, HEADER_SIZE)) {
          const inbound = inboundOf(kind, { headers: { ...headers, [header]: stretch }, body });
          await expectQuick(`${name} with ${header}: ${stretch}`, () => proves(inbound));
        }
  });

  test(`no secret that ${name} could have stored makes a comparison throw`, () => {
    const broken = ['', 'x', ',', 'whsec_', 'whsec_!!!!', 'v1,', 'v1,whsec_', 'whsec_AA==', '\ud800'];
    const [kind] = system.kinds as [Channel];
    for (const played of genuineOf(name, kind, secrets[0] ?? '')) {
      const inbound = inboundOf(kind, played);
      for (const secret of broken)
        expect([
          system.isFromHead?.(inbound, [secret]),
          system.isFromBody?.(inbound, [secret]),
        ]).not.toContain(true);
    }
  });

  test(`${name} stores no secret of less than 16 bytes`, () => {
    const short = [
      '',
      'x',
      'whsec_!!!!',
      'whsec_!!!!!!!!!!!!',
      'whsec_AA==',
      'whsec_AAAAAAAAAAA=',
      'short, short',
    ];
    for (const given of short.filter((one) => system.isFromBody || !one.startsWith('whsec_!!!!!')))
      if (name === 'supabase' || name === 'webhook' || given.length < 16)
        expect([given, system.readSecret(given)]).toEqual([given, { problem: expect.any(String) }]);
  });
});

test('a signing secret is stored without quotes, blanks and the version that services show before it', () => {
  const secret = SYSTEM.webhook.newSecret({ random });
  for (const name of ['supabase', 'webhook'] as const)
    for (const given of [secret, ` ${secret}\n`, `"v1,${secret}"`, `v1,${secret}`])
      expect(SYSTEM[name].readSecret(given)).toEqual({ secret });
});
