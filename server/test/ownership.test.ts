import { getMe, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { addMessageDomain } from '@sixdigit/contract/message-links.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWithSaved } from '@sixdigit/contract/payments.ts';
import { denyDestination } from '@sixdigit/contract/protection/protection.ts';
import { API_SCOPES, needsSession, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Owner, owner } from './belongings.ts';
import type { CallInput } from './call.ts';
import { startReceiver } from './fakes/receiver.ts';
import { fixture } from './fixture.ts';
import { invitationTokenFor } from './members.ts';
import {
  type Case,
  casesOf,
  type Named,
  notFoundOf,
  PRICE,
  type Proof,
  type Registered,
} from './ownership-cases.ts';
import { anotherSession, codeFor } from './person.ts';
import { testService } from './service.ts';
import { dumpTables } from './table-dump.ts';

/** Alice owns, Bob is another customer, Charlie is signed out. */
let alice: Owner & Proof & Registered;
let bob: Owner;
let cases: Record<string, Case>;

/** A person without data, with well-formed ids only. */
const nobody = (): Named => ({
  ...alice,
  open_otp_id: service.app.random.uuid(),
  verified_otp_id: service.app.random.uuid(),
  session_id: service.app.random.uuid(),
  passkey_id: service.app.random.uuid(),
  message_domain_id: service.app.random.uuid(),
  invitation_id: service.app.random.uuid(),
  invitation_token: service.app.random.token(),
  api_key_id: service.app.random.uuid(),
  webhook_id: service.app.random.uuid(),
  message_id: service.app.random.uuid(),
  attempt_id: service.app.random.uuid(),
  purchase_id: service.app.random.uuid(),
  payment_method_id: `pm_sandbox_${service.app.random.uuid()}`,
  payment_intent_id: `pi_sandbox_${service.app.random.uuid()}`,
  client_secret: `pi_sandbox_${service.app.random.uuid()}_secret_${service.app.random.token()}`,
  session_token: service.app.random.token(),
});

const MALFORMED = [
  'none',
  '0',
  '-1',
  '{}',
  '%',
  '../../users/me',
  "' or 1=1 --",
  '\u0000',
  '\u{1F600}',
  '0199e0a0-0000-7000-8000-00000000000',
  'x'.repeat(2_000),
];

const caseOf = ({ name }: Route): Case => {
  const found = cases[name];
  if (!found) throw new Error(`No case for ${name}: what can Bob do there to Alice?`);
  return found;
};
interface Answered {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}
const callAs = (
  who: Pick<Owner, 'access' | 'api_key'>,
  route: Route,
  input: CallInput<Route>,
): Promise<Answered> =>
  service.call(route, {
    ...input,
    ...(route.auth === 'api_key' ? { apiKey: who.api_key } : { bearer: who.access }),
  });
const title = (route: Route) => ({ name: `${route.method} ${route.path}`, route });
const closed = routes
  .filter(({ auth, stream }) => auth !== 'none' && stream !== 'text/event-stream')
  .map(title);

const receiver = fixture(startReceiver);
const service = fixture(testService);
beforeAll(async () => {
  const made = await owner(service, 'Alice', receiver.at('/ok'));
  bob = await owner(service, 'Bob', receiver.at('/ok'));
  cases = casesOf(bob);
  for (const { access, api_key } of [made, bob]) {
    const entry = { kind: 'number', value: '+14155550166' } as const;
    expect((await service.call(denyDestination, { bearer: access, body: entry })).status).toBe(200);
    await service.call(sendOtp, { apiKey: api_key, body: { channel: 'sms', recipient: entry.value } });
  }
  await service.app.protection.exchange();
  const phone = '+14155550190';
  const begun = await service.call(updateTwoFactor, {
    bearer: made.access,
    body: {
      two_factor_enabled: true,
      two_factor_method: 'sms',
      phone_number: phone,
      current_password: made.password,
    },
  });
  expect(begun).toMatchObject({ status: 200, body: { requires_code: true } });
  const passkey_id = service.app.random.uuid();
  await service.app.db.run(
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
     values ($1, $2, $3, $3, 0, '{}', 'Passkey of Alice', false, clock_now())`,
    [passkey_id, made.account_id, service.app.random.bytes(16)],
  );
  const listed = await service.call(addMessageDomain, {
    bearer: made.access,
    body: { domain: 'shop-of-alice.example.com' },
  });
  const invited = await service.call(createInvitation, {
    bearer: made.access,
    body: { email: 'invited-by-alice@example.com', role: 'viewer' },
  });
  alice = {
    ...made,
    passkey_id,
    invitation_id: invited.body.id,
    invitation_token: await invitationTokenFor(service, 'invited-by-alice@example.com'),
    message_domain_id: listed.body.id,
    session_token: begun.body.session_token ?? '',
    code: await codeFor(service, phone),
  };
  for (const [field, value] of Object.entries(alice)) expect(value, field).toBeTruthy();
});

test('every route has an ownership case', () => {
  expect(Object.keys(cases).sort()).toEqual(routes.map(({ name }) => name).sort());
  for (const route of routes) expect(caseOf(route) === 'anyone may call it').toBe(route.auth === 'none');
});

describe('Bob cannot change what is Alice’s, or distinguish it from what does not exist', () => {
  let before: Awaited<ReturnType<typeof dumpTables>>;
  let arrived: number;
  beforeAll(async () => {
    await service.drain();
    await service.app.requestLog.flush();
    // The first call with a session makes the sandbox's first account an operator.
    await callAs(bob, getMe, {});
    // The last use of a key is written with a delay, at most once a minute. This waits for it.
    await service.app.db.run('update api_keys set last_used_at = clock_now() where account_id = $1', [
      alice.account_id,
    ]);
    before = await dumpTables(service.app.db, alice.account_id);
    expect(new Set(before.map(({ table }) => table)).size).toBeGreaterThan(10);
    arrived = receiver.requests.length;
  });

  test.each(closed)('Bob cannot access Alice’s data with $name', async ({ route }) => {
    const its = caseOf(route);
    if (its === 'anyone may call it') throw new Error('Not reached');
    // A separate key for each route, so that no rate limit applies.
    const visitor = { ...bob, api_key: (await service.anotherKey(bob.account_id)).key };
    await service.app.db.run('update api_keys set scopes = $2 where account_id = $1', [
      bob.account_id,
      [...API_SCOPES],
    ]);
    if ('names' in its) {
      const refused = its.refused ?? 404;
      const none = await callAs(visitor, route, its.names(nobody()));
      const hers = await callAs(visitor, route, its.names(alice));
      expect(hers.status).toBe(refused);
      if (refused === 404) expect(hers.body.reason).toBe(notFoundOf(route));
      expect({ status: hers.status, body: hers.body }).toEqual({ status: none.status, body: none.body });
      const params = Object.keys(its.names(alice).params ?? {});
      for (const text of its.byPath ? MALFORMED : []) {
        for (const param of params) {
          const input = its.names(alice);
          const odd = await callAs(visitor, route, { ...input, params: { ...input.params, [param]: text } });
          expect({ text, status: odd.status, body: odd.body }).toEqual({
            text,
            status: 404,
            body: none.body,
          });
        }
      }
      return;
    }
    const answers =
      'own' in its
        ? [await callAs(visitor, route, its.own)]
        : await Promise.all(
            [{ page_size: 100 }, ...its.lists.map((filter) => filter(alice))].map((query) =>
              callAs(visitor, route, { query }),
            ),
          );
    const things = Object.entries(alice).filter(([field]) => field !== 'code');
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(500);
      const text = JSON.stringify(answer.body ?? null);
      expect(things.filter(([, value]) => text.includes(value)).map(([field]) => field)).toEqual([]);
      expect(text).not.toContain('of Alice');
    }
    for (const filtered of 'lists' in its ? answers.slice(1) : [])
      expect(filtered).toMatchObject({ status: 200, body: { results: [], count: 0 } });
    if ('lists' in its) expect(answers[0]?.body.count).toBeGreaterThan(0);
  });

  test('Alice’s Idempotency-Key has no effect in Bob’s request', async () => {
    const input = {
      body: { channel: 'email', recipient: 'shared@example.com' },
      headers: { 'idempotency-key': 'order-1' },
    };
    const first = await callAs(bob, sendOtp, input);
    const other = await service.customer('Dora');
    const second = await callAs({ access: '', api_key: other.api_key }, sendOtp, input);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.otp_id).not.toBe(first.body.otp_id);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    const bought = { ...PRICE, payment_method_id: alice.payment_method_id };
    const headers = { 'idempotency-key': 'order-2' };
    const hers = await callAs(bob, createWithSaved, { body: bought, headers });
    expect(hers.status).toBe(404);
  });

  test('Bob’s requests neither change Alice’s data nor call her endpoint', async () => {
    await service.app.requestLog.flush();
    const after = await dumpTables(service.app.db, alice.account_id);
    expect(after).toEqual(before);
    expect(receiver.requests.slice(arrived).filter(({ text }) => text.includes(alice.recipient))).toEqual([]);
  });

  test('Alice can make the same requests that were refused to Bob', async () => {
    for (const { route } of closed) {
      const its = caseOf(route);
      if (its === 'anyone may call it' || !('names' in its) || route.method !== 'GET') continue;
      expect((await callAs(alice, route, its.names(alice))).status, route.name).toBe(200);
    }
  });
});

describe('Charlie, who is signed out, gets 401 on every route before any other check', () => {
  const refusal = ({ auth }: Route, given: boolean) =>
    needsSession({ auth }) ? 'unauthenticated' : given ? 'invalid_api_key' : 'missing_api_key';

  test.each(closed)(
    'Charlie, who is signed out, gets 401 from $name before any other check',
    async ({ route }) => {
      const params = Object.fromEntries(
        [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, alice.open_otp_id]),
      );
      const tampered = `${alice.access.slice(0, -4)}${alice.access.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      const tries: [string | undefined, string | undefined][] = [
        [undefined, undefined],
        ['', ''],
        ['none', 'sd_live_none'],
        // each in the other's place
        [alice.api_key, alice.access],
        [tampered, `${alice.api_key.slice(0, -1)}${alice.api_key.endsWith('0') ? '1' : '0'}`],
        ['a.b.c', 'é'],
        ['x'.repeat(5_000), 'x'.repeat(5_000)],
      ];
      for (const [bearer, apiKey] of tries) {
        for (const body of [undefined, { nonsense: true }]) {
          const headers = needsSession(route)
            ? bearer === undefined
              ? undefined
              : { authorization: `Bearer ${bearer}` }
            : apiKey === undefined
              ? undefined
              : { 'x-api-key': apiKey };
          const answer: Answered = await service.call(route, {
            params,
            ...(body ? { body } : {}),
            ...(headers ? { headers } : {}),
          });
          expect({ status: answer.status, reason: answer.body.reason }).toEqual({
            status: 401,
            reason: refusal(route, needsSession(route) ? true : Boolean(apiKey)),
          });
        }
      }
    },
  );

  test('deleted keys and ended sessions are refused', async () => {
    const gone = await anotherSession(service, bob);
    await service.call(signOut, { body: { refresh: gone.refresh } });
    const key = await service.anotherKey(bob.account_id);
    await service.call(deleteApiKey, { bearer: bob.access, params: { id: key.id } });
    for (const { route } of closed) {
      const answer = await callAs({ access: gone.access, api_key: key.key }, route, {});
      expect({ route: route.name, status: answer.status }).toEqual({ route: route.name, status: 401 });
    }
    expect((await callAs(bob, getMe, {})).status).toBe(200);
  });
});
