import {
  createApiKey,
  deleteApiKey,
  getKeyRules,
  rotateApiKey,
  updateApiKey,
  updateKeyRules,
} from '@sixdigit/contract/api-keys.ts';
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
const NEEDS_ADMIN = {
  status: 400,
  body: {
    reason: 'role_too_low',
    needs: 'admin',
    error: 'This needs the role admin. Ask an owner or admin of the account.',
  },
};

test('developers make live keys until an admin restricts them to admins, and test keys in any case', async () => {
  const make = (role: Role, mode: 'live' | 'test') =>
    as(role, createApiKey, { body: { name: `${mode} of ${role}`, mode } });
  const made = await make('developer', 'live');
  expect(made.status).toBe(201);
  expect((await as('viewer', getKeyRules)).body).toEqual({ live_keys_need_admin: false });

  const rules = { live_keys_need_admin: true };
  expect(await as('developer', updateKeyRules, { body: rules })).toMatchObject(NEEDS_ADMIN);
  expect((await as('admin', updateKeyRules, { body: rules })).body).toEqual(rules);
  expect((await as('viewer', getKeyRules)).body).toEqual(rules);

  const params = { id: made.body.id };
  expect(await make('developer', 'live')).toMatchObject(NEEDS_ADMIN);
  // Without a mode, a key is live.
  expect(await as('developer', createApiKey, { body: { name: 'Live' } })).toMatchObject(NEEDS_ADMIN);
  expect(await as('developer', rotateApiKey, { params, body: { valid_days: 0 } })).toMatchObject(NEEDS_ADMIN);
  expect(await as('developer', updateApiKey, { params, body: { note: 'Mine' } })).toMatchObject(NEEDS_ADMIN);
  expect((await as('admin', updateApiKey, { params, body: { note: 'Ours' } })).body).toMatchObject({
    prefix: made.body.prefix,
    note: 'Ours',
  });
  const test = await make('developer', 'test');
  expect(test.status).toBe(201);
  const own = { params: { id: test.body.id } };
  expect((await as('developer', rotateApiKey, { ...own, body: { valid_days: 0 } })).status).toBe(200);
  expect((await make('admin', 'live')).status).toBe(201);
  expect((await as('developer', deleteApiKey, { params })).status).toBe(204);

  expect((await as('owner', updateKeyRules, { body: { live_keys_need_admin: false } })).status).toBe(200);
  expect((await make('developer', 'live')).status).toBe(201);
});
