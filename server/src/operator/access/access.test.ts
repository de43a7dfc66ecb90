import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { adjustCredits, listOperatorAccounts, suspendAccount } from '@sixdigit/contract/operator/accounts.ts';
import {
  createOperatorKey,
  deleteOperatorKey,
  getOperator,
  getOperatorOpenApi,
  listOperatorActions,
  listOperatorKeys,
} from '@sixdigit/contract/operator/operator.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, type TestOperator, testOperator } from '../../../test/operator.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import { isStillOperator } from './access.ts';

/** Olivia is an admin, Sam is in support, Alice is a customer. */
let olivia: TestOperator;
let sam: TestOperator;
let alice: Customer;

const DAY = 86_400_000;
const WEEK = { name: 'Nightly report', scopes: ['accounts:read' as const], expires_in_days: 7 };

const service = fixture(testService);
beforeAll(async () => {
  olivia = await testOperator(service);
  sam = await testOperator(service, { role: 'support', name: 'Sam' });
  alice = await service.customer('Alice');
});

describe('callers who are not operators', () => {
  /** The whole response, without the parts that differ between any two responses. */
  const look = async (method: Route['method'], url: string, headers: Record<string, string>) => {
    const answer = await service.inject({
      method,
      url,
      headers,
      ...(method === 'GET' ? {} : { payload: {} }),
    });
    const { date: _date, 'x-request-id': id, ...rest } = answer.headers;
    expect(id).toBeTruthy();
    return { status: answer.statusCode, body: answer.body, headers: rest };
  };
  const urlOf = ({ path }: Route) => API_BASE + path.replace(/:\w+/g, alice.account_id);

  const callers: [string, () => Promise<Record<string, string>>][] = [
    ['a caller without credentials', async () => ({})],
    ['a customer', async () => ({ authorization: `Bearer ${await signedIn(service, alice)}` })],
    ['an API key', async () => ({ 'x-api-key': alice.api_key })],
    ['an API key as a bearer token', async () => ({ authorization: `Bearer ${alice.api_key}` })],
    ['an invented token', async () => ({ authorization: 'Bearer invented' })],
    [
      'a suspended operator',
      async () => {
        const oscar = await testOperator(service, { name: 'Oscar' });
        await service.app.db.run('update accounts set suspended_at = clock_now() where id = $1', [
          oscar.account_id,
        ]);
        return { authorization: `Bearer ${oscar.bearer}` };
      },
    ],
    [
      'an operator who was removed',
      async () => {
        const rita = await testOperator(service, { name: 'Rita' });
        await service.app.db.run('delete from operators where account_id = $1', [rita.account_id]);
        return { authorization: `Bearer ${rita.bearer}` };
      },
    ],
    [
      'an operator whose session has ended',
      async () => {
        const { bearer, account_id } = await testOperator(service, { name: 'Eve' });
        await service.app.db.run('update sessions set ended_at = clock_now() where account_id = $1', [
          account_id,
        ]);
        return { authorization: `Bearer ${bearer}` };
      },
    ],
    [
      'a deleted operator key',
      async () => {
        const { body } = await olivia.call(createOperatorKey, { body: WEEK });
        await olivia.call(deleteOperatorKey, { params: { id: body.id } });
        return { authorization: `Bearer ${body.key}` };
      },
    ],
  ];

  test.each(callers)('an operator call returns 404 to %s, like an unknown path', async (_who, headersOf) => {
    const headers = await headersOf();
    for (const route of operatorRoutes) {
      const given = await look(route.method, urlOf(route), headers);
      const missing = await look(route.method, `${API_BASE}/no-such-noun/${route.name}/`, headers);
      expect({ route: route.name, ...given }).toEqual({ route: route.name, ...missing });
      expect(given.status).toBe(404);
    }
  });

  test('an operator call with a wrong method returns 404 to anyone but operators', async () => {
    const given = await look('DELETE', `${API_BASE}/operator/me/`, {
      authorization: `Bearer ${olivia.bearer}`,
    });
    expect(given.status).toBe(405);
  });
});

describe('an operator', () => {
  test('a support operator can read everything and change nothing', async () => {
    expect((await sam.call(getOperator)).body).toEqual({ email: sam.email, role: 'support', is_key: false });
    expect((await sam.call(listOperatorAccounts)).status).toBe(200);
    for (const route of operatorRoutes.filter(({ operator }) => operator?.role === 'admin')) {
      const { status, body } = await sam.call(route, { params: { id: alice.account_id }, body: {} });
      expect({ route: route.name, status, reason: (body as Record<string, unknown>).reason }).toEqual({
        route: route.name,
        status: 400,
        reason: 'operator_role_required',
      });
    }
  });

  test('every operator call except GET requests, reveals, resends, a preview and a look-up requires the admin role', () => {
    const others = operatorRoutes.filter(
      ({ method, operator }) => method !== 'GET' && operator?.role !== 'admin',
    );
    expect(others.map(({ name }) => name).sort()).toEqual([
      'findOptOut',
      'previewCarrier',
      'resendVerification',
      'resendWebhookMessage',
      'revealActivity',
      'revealAttempt',
      'revealRequest',
      'revealTestMessage',
      'revealVerification',
    ]);
    expect(operatorRoutes.every(({ auth, operator }) => auth === 'operator' && operator)).toBe(true);
  });

  test('in production an operator needs two-factor authentication, and a recent proof of identity for every change', async () => {
    await using production = await testService({
      env: {
        SANDBOX: '0',
        NODE_ENV: 'production',
        SMTP_URL: 'smtp://127.0.0.1:9',
        EMAIL_FROM: 'a@example.com',
      },
    });
    const owner = await testOperator(production);
    const refused = await owner.call(listOperatorAccounts);
    expect(refused).toMatchObject({ status: 400, body: { reason: 'operator_two_factor_required' } });
    await production.app.db.run('update people set two_factor_enabled = true where id = $1', [
      owner.account_id,
    ]);
    expect((await owner.call(listOperatorAccounts)).status).toBe(200);

    const prove = (at: string) =>
      production.app.db.run(`update sessions set proven_at = ${at} where account_id = $1`, [
        owner.account_id,
      ]);
    const change = () => production.call(createOperatorKey, { bearer: owner.bearer, body: WEEK });
    await prove(`clock_now() - interval '15 minutes'`);
    expect(await change()).toMatchObject({ status: 400, body: { reason: 'step_up_required' } });
    expect((await production.call(listOperatorKeys, { bearer: owner.bearer })).body.count).toBe(0);
    await prove('clock_now()');
    expect((await change()).status).toBe(201);
  });
});

describe('the first account of a sandbox', () => {
  test('the first account of a sandbox is its operator and the second is not, whichever calls first', async () => {
    await using fresh = await testService();
    const [first, second] = [await fresh.customer('First'), await fresh.customer('Second')];
    const asked = async (customer: Customer) =>
      (await fresh.call(getOperator, { bearer: await signedIn(fresh, customer) })).status;
    expect(await asked(second)).toBe(404);
    expect(await asked(first)).toBe(200);
    await fresh.app.db.run('delete from operators');
    expect(await asked(first)).toBe(404);
  });

  test('the first account of a sandbox that other people can reach is not an operator', async () => {
    await using open = await testService({
      isPublic: true,
      env: { PUBLIC_URL: 'https://otp.example.com', SANDBOX: '1' },
    });
    const stranger = await open.customer('Stranger');
    const { status } = await open.call(getOperator, { bearer: await signedIn(open, stranger) });
    expect(status).toBe(404);
  });
});

describe('an operator key', () => {
  test('an operator key is shown once and permits only the calls of its scopes', async () => {
    const { status, body } = await olivia.call(createOperatorKey, { body: WEEK });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^sd_operator_/);
    const listed = await olivia.call(listOperatorKeys);
    expect(listed.body.results.find(({ id }) => id === body.id)).toMatchObject({ created_by: olivia.email });
    expect(JSON.stringify(listed.body)).not.toContain(body.key);

    expect((await service.call(listOperatorAccounts, { bearer: body.key })).status).toBe(200);
    const refused = await service.call(suspendAccount, {
      bearer: body.key,
      params: { id: alice.account_id },
      body: { reason: 'Abuse' },
    });
    expect(refused).toMatchObject({ status: 401, body: { reason: 'operator_scope_required' } });
    const keys = await service.call(createOperatorKey, { bearer: body.key, body: WEEK });
    expect(keys).toMatchObject({ status: 401, body: { reason: 'operator_scope_required' } });
    const own = await service.call(listOperatorKeys, { bearer: body.key });
    expect(own.body).toMatchObject({ reason: 'operator_scope_required' });
    expect((await service.call(getOperator, { bearer: body.key })).body).toMatchObject({ is_key: true });
    expect((await service.call(getOperatorOpenApi, { bearer: body.key })).status).toBe(200);
  });

  test('an operator key and its exports stop when it is deleted or expires, or its creator loses the admin role', async () => {
    const { body } = await olivia.call(createOperatorKey, { body: WEEK });
    const { body: deleted } = await olivia.call(createOperatorKey, { body: WEEK });
    const works = async ({ id, key }: typeof body) => {
      const operator = { person_id: olivia.account_id, session_id: null, key_id: id } as OperatorCaller;
      return [
        (await service.call(listOperatorAccounts, { bearer: key })).status,
        await isStillOperator(service.app, operator),
      ];
    };
    await olivia.call(deleteOperatorKey, { params: { id: deleted.id } });
    expect(await works(deleted)).toEqual([404, false]);
    await testOperator(service, { role: 'support' });
    expect(await works(body)).toEqual([404, false]);
    await testOperator(service, { role: 'admin' });
    expect(await works(body)).toEqual([200, true]);
    await service.clock.advance(8 * DAY);
    expect(await works(body)).toEqual([404, false]);
    olivia = await testOperator(service);
  });

  test('the audit log names the operator key that made a change', async () => {
    const { body } = await olivia.call(createOperatorKey, { body: { ...WEEK, scopes: ['accounts:write'] } });
    await service.call(adjustCredits, {
      bearer: body.key,
      params: { id: alice.account_id },
      body: { credits: 5, reason: 'Goodwill' },
    });
    const { body: audit } = await olivia.call(listOperatorActions, {
      query: { action: 'account.adjust_credits' },
    });
    expect(audit.results[0]).toMatchObject({
      operator: olivia.email,
      operator_key: WEEK.name,
      reason: 'Goodwill',
    });
  });

  test('an operator key needs a name, scopes and an expiry within a year', async () => {
    const refused = await olivia.call(createOperatorKey, {
      body: { name: ' ', scopes: [], expires_in_days: 400 },
    });
    expect(Object.keys(refused.body).sort()).toEqual(['error', 'expires_in_days', 'name', 'scopes']);
    expect((await olivia.call(deleteOperatorKey, { params: { id: 'no id' } })).status).toBe(404);
  });
});

describe('the OpenAPI document', () => {
  test('operator calls are listed only in the OpenAPI document for operators', async () => {
    const { body } = await olivia.call(getOperatorOpenApi);
    const idsOf = (document: unknown) =>
      Object.values(
        (document as { paths: Record<string, Record<string, { operationId: string }>> }).paths,
      ).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(idsOf(body).sort()).toEqual(operatorRoutes.map(({ name }) => name).sort());
    const ofCustomers = idsOf(
      openApi({ brand: 'Sixdigit', serverUrl: 'https://example.com', supportEmail: 'help@acme.test' }),
    );
    expect(ofCustomers.sort()).toEqual(routes.map(({ name }) => name).sort());
  });
});

describe('the audit', () => {
  test('the database refuses edits of the operator audit log', async () => {
    expect((await auditOf(service)).length).toBeGreaterThan(0);
    for (const statement of [
      `update operator_actions set reason = 'another'`,
      'delete from operator_actions',
      'truncate operator_actions',
    ])
      await expect(service.app.db.run(statement)).rejects.toThrow(/never changed or removed/);
  });

  test('the operator audit log can be searched by operator, action and account', async () => {
    const all = await olivia.call(listOperatorActions);
    expect(all.body.count).toBeGreaterThan(1);
    const ofAlice = await olivia.call(listOperatorActions, { query: { account_id: alice.account_id } });
    expect(ofAlice.body.results.every(({ account_id }) => account_id === alice.account_id)).toBe(true);
    const none = await olivia.call(listOperatorActions, { query: { account_id: 'no id' } });
    expect(none.body).toEqual({ results: [], count: 0 });
    const found = await olivia.call(listOperatorActions, { query: { search: olivia.email } });
    expect(found.body.count).toBeGreaterThan(0);
  });

  test('the operator audit log names the account of each change and can be searched by its address', async () => {
    const { body } = await olivia.call(listOperatorActions, { query: { search: alice.email } });
    expect(body.count).toBeGreaterThan(0);
    for (const { account_id, account_email } of body.results)
      expect({ account_id, account_email }).toEqual({
        account_id: alice.account_id,
        account_email: alice.email,
      });
    const ofKeys = await olivia.call(listOperatorActions, { query: { action: 'operator_key.create' } });
    expect(ofKeys.body.results[0]?.account_email).toBeNull();
  });
});
