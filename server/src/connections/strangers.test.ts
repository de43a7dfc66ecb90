/** What strangers get at the address of a connection. */

import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import { createConnection, type NewConnection, updateConnection } from '@sixdigit/contract/connections.ts';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { BURST, WAITING_MAX } from '../platform/http/over-limit.ts';

const service = fixture(() =>
  serviceWithCarriers(['http'], { ALLOWED_COUNTRIES: '*', TRUSTED_PROXIES: '127.0.0.1' }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 500, keys: 1 }));

const connected = async (system: SystemName): Promise<NewConnection> => {
  const bearer = await signedIn(service, alice);
  return (await service.call(createConnection, { bearer, body: { system, name: system } })).body;
};
const pathOf = ({ endpoints, id }: NewConnection): string =>
  endpoints[0]?.url.endsWith(id)
    ? `/api/v1/in/${id}/2010-04-01/Accounts/AC${id.replaceAll('-', '')}/Messages.json`
    : new URL(endpoints[0]?.url ?? '').pathname;
const post = (made: NewConnection, headers: Record<string, string>, payload: string) =>
  service.inject({
    method: 'POST',
    url: pathOf(made),
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

test.each(['authentik', 'fusionauth', 'kratos', 'logto', 'novu', 'twilio-messages'] as const)(
  '%s: a wrong secret in the head is refused before the body is read',
  async (system) => {
    const made = await connected(system);
    const headers = { authorization: 'Bearer wrong' };
    const bodies: [Record<string, string>, string][] = [
      [headers, '{'],
      [headers, 'x'.repeat(60_000)],
      [{ ...headers, 'content-type': 'image/png' }, 'x'],
    ];
    for (const [given, body] of bodies) expect((await post(made, given, body)).statusCode).toBe(401);
  },
);

test.each(['supabase', 'zitadel', 'keycloak', 'webhook'] as const)(
  '%s: a body of more than 16 KiB is refused without being read',
  async (system) => {
    const made = await connected(system);
    expect((await post(made, {}, ' '.repeat(16 * 1024 + 1))).statusCode).toBe(413);
  },
);

test('a secret that was stored before secrets were checked refuses all, and fails for nobody', async () => {
  for (const system of ['supabase', 'webhook', 'keycloak'] as const) {
    const made = await connected(system);
    for (const secret of ['whsec_!!!!', 'whsec_AA==']) {
      const sealed = service.app.vault.seal(secret, `connection ${made.id}`);
      await service.app.db.run('update connections set secret = $2 where id = $1', [made.id, sealed]);
      const answer = await post(
        made,
        {
          'webhook-id': 'x',
          'webhook-timestamp': String(Math.floor(service.app.clock.now().getTime() / 1000)),
          'webhook-signature': 'v1,AAAA',
        },
        '{}',
      );
      expect([system, answer.statusCode]).toEqual([system, 401]);
    }
  }
});

test('no secret without a key or of a single byte is stored for signatures', async () => {
  const bearer = await signedIn(service, alice);
  for (const system of ['supabase', 'webhook'] as const) {
    const { id } = await connected(system);
    const enter = (secret: string) =>
      service.call(updateConnection, { bearer, params: { id }, body: { secret } });
    for (const secret of [
      'whsec_!!!!!!!!!!!!!!!!',
      'whsec_AA==============',
      `v1,whsec_${'!'.repeat(20)}`,
      'short',
    ])
      expect(await enter(secret)).toMatchObject({ status: 400, body: { secret: [expect.any(String)] } });
    expect((await enter(`v1,whsec_${Buffer.alloc(24, 7).toString('base64')}`)).status).toBe(200);
  }
});

test('a flood of wrong secrets from one network is paced before its bodies are read, and the system itself never waits', async () => {
  const made = await connected('keycloak');
  const stranger = () =>
    post(made, { 'x-forwarded-for': '198.51.100.7' }, JSON.stringify({ key: 'wrong', text: 'a', to: '1' }));
  const answers = await Promise.all(Array.from({ length: BURST + WAITING_MAX + 60 }, stranger));
  const statuses = Map.groupBy(answers, ({ statusCode }) => statusCode);
  expect([...statuses.keys()].toSorted()).toEqual([401, 429]);
  const flood = Array.from({ length: 40 }, stranger);
  const genuine = await post(
    made,
    { 'x-forwarded-for': '203.0.113.9' },
    JSON.stringify({ key: made.secret, text: 'Your code is 246802', to: '+14155550123' }),
  );
  expect(genuine.statusCode).toBe(200);
  await Promise.all(flood);
});
