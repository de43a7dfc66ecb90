import { updateKeyRules } from '@sixdigit/contract/api-keys.ts';
import { listConnections } from '@sixdigit/contract/connection-list.ts';
import {
  createConnection,
  deleteConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { expect, test } from 'vitest';
import type { CallInput } from '../../test/call.ts';
import { fixture } from '../../test/fixture.ts';
import { member } from '../../test/members.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const as = async <R extends Route>(role: Role, route: R, input: CallInput<R> = {}) =>
  service.call(route, { ...input, ...(await member(service, alice, role)) });
const NEEDS_ADMIN = { status: 400, body: { reason: 'role_too_low', needs: 'admin' } };
const recipient = '+14155550199';

test('an account that restricts live keys to admins restricts live connections too', async () => {
  const make = (role: Role, mode?: 'live' | 'test') =>
    as(role, createConnection, { body: { system: 'zitadel', name: 'Sign-in', ...(mode && { mode }) } });
  const uses = async (role: Role, id: string) => {
    const params = { id };
    return [
      await as(role, updateConnection, { params, body: { name: 'Renamed' } }),
      await as(role, updateConnection, { params, body: { secret: 'a-secret-of-zitadel-0' } }),
      await as(role, rotateConnection, { params, body: {} }),
      await as(role, testConnection, { params, body: { recipient } }),
    ];
  };
  const live = await make('developer', 'live');
  expect(live.status).toBe(201);
  const { id } = live.body;
  expect((await uses('developer', id)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  const restrict = async (live_keys_need_admin: boolean) =>
    expect((await as('admin', updateKeyRules, { body: { live_keys_need_admin } })).status).toBe(200);
  await restrict(true);
  const rows = () =>
    service.app.db.rows(
      `select c.*, k.name from connections c join api_keys k on k.id = c.api_key_id where c.account_id = $1`,
      [alice.account_id],
    );
  const before = await rows();
  expect(await make('developer', 'live')).toMatchObject(NEEDS_ADMIN);
  // Without a mode, a connection is live.
  expect(await make('developer')).toMatchObject(NEEDS_ADMIN);
  for (const answer of await uses('developer', id)) expect(answer).toMatchObject(NEEDS_ADMIN);
  expect(await rows()).toEqual(before);
  expect((await uses('admin', id)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  const own = await make('developer', 'test');
  expect(own.status).toBe(201);
  expect((await uses('developer', own.body.id)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  expect((await as('viewer', listConnections)).body.results.map((one) => one.id)).toEqual([own.body.id, id]);
  expect((await as('developer', deleteConnection, { params: { id } })).status).toBe(204);
  await restrict(false);
  expect((await make('developer', 'live')).status).toBe(201);
});

test('the test of a live connection needs a number if the profile of the person has none', async () => {
  const { body } = await as('owner', createConnection, { body: { system: 'zitadel', name: 'No phone' } });
  const params = { id: body.id };
  expect(await as('owner', testConnection, { params, body: { kind: 'sms' } })).toMatchObject({
    status: 400,
    body: { recipient: ['Enter a number. Your profile has none.'] },
  });
});
