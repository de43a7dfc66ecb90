import { randomUUID } from 'node:crypto';
import { leaveAccount } from '@sixdigit/contract/accounts/members.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { neededRole, roleException } from '@sixdigit/contract/needed-roles.ts';
import { allowDestination } from '@sixdigit/contract/protection/protection.ts';
import { ROLES, type Role, roleTooLow } from '@sixdigit/contract/roles.ts';
import { API_BASE, paramsOf, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Owner, owner } from './belongings.ts';
import type { CallInput } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { type Member, member } from './members.ts';
import { testService } from './service.ts';

/**
 * Every call of members × every role. The expected response follows from `NEEDED`.
 */
const receiver = fixture(startReceiver);
const service = fixture(testService);

let alice: Owner;
let members: Record<Role, Member>;
beforeAll(async () => {
  alice = await owner(service, 'Alice', receiver.at('/ok'));
  const made = await Promise.all(ROLES.map((role) => member(service, alice, role)));
  members = Object.fromEntries(ROLES.map((role, n) => [role, made[n]])) as Record<Role, Member>;
});

const title = (route: Route) => ({ name: `${route.method} ${route.path}`, route });
const ofMembers = routes.filter(({ auth }) => auth === 'bearer').map(title);

/** Bodies that are refused, for calls that an empty body would make end the session of the test or simulate a day. */
const HARMLESS: Record<string, CallInput<Route>> = {
  endAllSessions: { body: { keep_current: 'neither' } },
  playWorstDay: { body: { seed: -1 } },
};

/** A request about nothing that exists. Whoever may make the call gets its ordinary response, such as 404 or field errors. */
const emptyRequest = (route: Route): CallInput<Route> => ({
  params: Object.fromEntries(paramsOf(route.path).map((name) => [name, randomUUID()])),
  ...(route.body && { body: {} }),
  ...HARMLESS[route.name],
});

/** A live stream has no end, so it is opened over a connection. */
async function answerTo(as: Member, route: Route, input: CallInput<Route>) {
  if (route.name !== openLive.name) return service.call(route, { ...input, ...as });
  const stop = new AbortController();
  const response = await fetch((await origin()) + API_BASE + route.path, {
    headers: { authorization: `Bearer ${as.bearer}`, ...as.headers },
    signal: stop.signal,
  });
  const body = response.ok ? {} : ((await response.json()) as Record<string, unknown>);
  stop.abort();
  return { status: response.status, body };
}
let listening: Promise<string> | undefined;
const origin = () => (listening ??= service.listen());

/** `ROLES` is in falling order. */
const mayCall = (role: Role, needed: Role): boolean =>
  ROLES.slice(0, ROLES.indexOf(needed) + 1).includes(role);

describe('a member', () => {
  test.each(ofMembers)(
    'a member may call $name with the needed role, and no lower one',
    async ({ route }) => {
      const needed = neededRole(route);
      if (!needed) throw new Error('Not reached');
      for (const role of ROLES) {
        const as = route.name === leaveAccount.name ? await member(service, alice, role) : members[role];
        const { status, body } = await answerTo(as, route, emptyRequest(route));
        if (!mayCall(role, needed)) {
          const refusal = { reason: 'role_too_low', needs: needed, error: roleTooLow(needed) };
          expect({ role, status, body }).toEqual({ role, status: 400, body: refusal });
          continue;
        }
        const isOrdinary = body?.reason !== 'role_too_low' || roleException(route) !== undefined;
        expect({ role, status, isOrdinary }).toEqual({ role, status: expect.any(Number), isOrdinary: true });
        expect([401, 403, 500]).not.toContain(status);
        if (route.method === 'GET' && paramsOf(route.path).length === 0 && !route.query)
          expect(status).toBe(200);
      }
    },
  );
});

test('support can allow one number, but only admins allow a prefix, a network or a country', async () => {
  const allow = (role: Role, kind: 'number' | 'prefix' | 'address' | 'country', value: string) =>
    service.call(allowDestination, { ...members[role], body: { kind, value } });
  const NEEDS_ADMIN = { status: 400, body: { reason: 'role_too_low', needs: 'admin' } };
  expect((await allow('support', 'number', '+14155550123')).status).toBe(200);
  for (const role of ['support', 'developer'] as const) {
    expect(await allow(role, 'prefix', '+1415555')).toMatchObject(NEEDS_ADMIN);
    expect(await allow(role, 'address', '203.0.113.0/24')).toMatchObject(NEEDS_ADMIN);
    expect(await allow(role, 'country', 'US')).toMatchObject(NEEDS_ADMIN);
  }
  expect((await allow('admin', 'prefix', '+1415555')).status).toBe(200);
  expect(await allow('viewer', 'number', '+14155550123')).toMatchObject({
    status: 400,
    body: { needs: 'support' },
  });
});
