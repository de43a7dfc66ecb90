import { deleteMe, getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { AUDIT_DAYS, exportAuditEntries, listAuditEntries } from '@sixdigit/contract/audit.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { callFrom, type Person, person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';
import { type AuditRecord, changesBetween, record } from './audit.ts';
import { eraseAuditEntries } from './queries.ts';

const DAY = 86_400_000;

const service = fixture(testService);
const alice = fixture(() => person(service, 'Alice'));
const bob = fixture(() => person(service, 'Bob'));
beforeAll(async () => {
  await service.call(createApiKey, { bearer: alice.access, body: { name: '=Checkout' } });
  await service.call(updateSpend, {
    bearer: alice.access,
    body: { daily_credit_limit: 100, monthly_credit_limit: null },
  });
});

const idOf = async ({ access }: Person) => (await service.call(getMe, { bearer: access })).body.id;
const list = async (who: Person, query: Given<typeof listAuditEntries, 'query'> = {}) =>
  (await service.call(listAuditEntries, { bearer: who.access, query: { page_size: 100, ...query } })).body;
const actions = async (query?: Given<typeof listAuditEntries, 'query'>) =>
  (await list(alice, query)).results.map(({ action }) => action);
const fail = (email: string, address: string) =>
  callFrom(service, address, { route: signIn, body: { email, password: 'not the password' } });

test('the audit log shows who did what, when and from where, newest first', async () => {
  const { results, count } = await list(alice);
  expect(count).toBe(4);
  expect(results.map(({ action }) => action)).toEqual([
    'spend_limit.change',
    'api_key.create',
    'sign_in.succeed',
    'account.create',
  ]);
  expect(results[0]).toMatchObject({
    actor: 'owner',
    before: { daily_credit_limit: null },
    after: { daily_credit_limit: 100 },
    ip_address: '127.0.0.1',
    user_agent: 'lightMyRequest',
    count: 1,
  });
  expect(results[1]).toMatchObject({ subject: '=Checkout', before: null });
});

test('the audit log is filtered by group, actor and time, and searched by the words on the screen', async () => {
  expect(await actions({ group: 'api_key' })).toEqual(['api_key.create']);
  expect(await actions({ actor: 'operator' })).toEqual([]);
  expect(await actions({ search: 'changed the SPEND' })).toEqual(['spend_limit.change']);
  expect(await actions({ search: 'checkout' })).toEqual(['api_key.create']);
  expect(await actions({ search: '127.0.0.1', group: 'payment' })).toEqual(['spend_limit.change']);
  expect(await actions({ search: '%' })).toEqual([]);
  const tomorrow = new Date(service.app.clock.now().getTime() + DAY).toISOString();
  expect(await actions({ created_after: tomorrow })).toEqual([]);
  expect(await actions({ created_before: tomorrow })).toHaveLength(4);
  expect(await actions({ created_before: new Date(Date.now() - DAY).toISOString() })).toEqual([]);
  expect(await actions({ ordering: 'created_at', page_size: 1 })).toEqual(['account.create']);
});

test('an invalid audit log filter is a field error', async () => {
  const query = { group: 'other', actor: 'other', created_before: 'soon' } as never;
  const { status, body } = await service.call(listAuditEntries, { bearer: alice.access, query });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      actor: ['Actor must be one of: owner, key, operator, system, unknown.'],
      created_before: ['Use an ISO 8601 date.'],
    },
  });
});

test('an account sees only its own audit entries, in the list and in the export', async () => {
  expect((await list(bob)).results.map(({ action }) => action)).toEqual([
    'sign_in.succeed',
    'account.create',
  ]);
  const { body } = await service.call(exportAuditEntries, { bearer: bob.access });
  expect(body.text).not.toContain('Checkout');
});

test('the audit export has the matching rows as CSV without formulas', async () => {
  const { status, body, headers } = await service.call(exportAuditEntries, {
    bearer: alice.access,
    query: { group: 'api_key' },
  });
  expect(status).toBe(200);
  expect(headers['content-disposition']).toContain('audit-log-');
  const [header, row, ...more] = body.text.trim().split('\r\n');
  expect(header).toContain('"created_at","actor","person","action","description","subject","before","after"');
  expect(row).toContain(`"owner","${alice.email}","api_key.create","Created an API key","'=Checkout",`);
  expect(more).toEqual([]);
});

test('failed sign-ins of one network in one minute are one audit entry with a count', async () => {
  const carol = await person(service, 'Carol');
  for (let n = 0; n < 3; n += 1) await fail(carol.email, '203.0.113.7');
  await fail(carol.email, '198.51.100.1');
  const failed = (await list(carol, { search: 'failed' })).results;
  expect(failed.map(({ ip_address, count, subject, actor }) => [ip_address, count, subject, actor])).toEqual(
    expect.arrayContaining([
      ['203.0.113.7', 3, 'Wrong password', 'unknown'],
      ['198.51.100.1', 1, 'Wrong password', 'unknown'],
    ]),
  );
  expect(failed).toHaveLength(2);
  await service.clock.advance(60_000);
  await fail(carol.email, '203.0.113.7');
  expect((await list(carol, { search: 'failed' })).count).toBe(3);
});

test('an attacker with many networks adds at most one audit entry a minute beyond sixty in an hour', async () => {
  const account_id = await idOf(await person(service, 'Dora'));
  const ella = await person(service, 'Ella');
  for (let n = 0; n < 300; n += 1)
    service.app.failedSignIns.count({
      person_id: account_id,
      subject: 'Wrong password',
      client: { network: `10.0.${n}.1`, ip_address: `10.0.${n % 256}.1`, user_agent: null },
    });
  await service.app.failedSignIns.flush();
  await fail(ella.email, '203.0.113.7');
  expect((await list(ella, { search: 'failed' })).results).toMatchObject([{ subject: 'Wrong password' }]);
  const rows = () =>
    service.app.db.rows<{ subject: string; count: number }>(
      `select subject, count from audit_entries where account_id = $1 and action = 'sign_in.fail' order by id`,
      [account_id],
    );
  const first = await rows();
  expect(first.length).toBeLessThanOrEqual(62);
  expect(first.reduce((sum, { count }) => sum + count, 0)).toBe(300);
  expect(first.filter(({ subject }) => subject === 'Several networks').length).toBeGreaterThan(0);
});

test('a wrong password for an address without an account adds no audit entry', async () => {
  const total = async () =>
    (await service.app.db.one<{ n: number }>('select count(*) as n from audit_entries')).n;
  const before = await total();
  await fail('stranger@example.com', '203.0.113.8');
  await service.app.failedSignIns.flush();
  expect(await total()).toBe(before);
});

test('an audit export reads a long log in parts', async () => {
  const erin = await person(service, 'Erin');
  const account_id = await idOf(erin);
  await service.app.db.transaction(async (tx) => {
    for (let n = 0; n < 2_100; n += 1)
      await record(tx, service.app, {
        account_id,
        actor: 'system',
        action: 'webhook.disable',
        subject: `Hook ${n}`,
      });
  });
  const { body } = await service.call(exportAuditEntries, { bearer: erin.access });
  expect(body.text.trim().split('\r\n')).toHaveLength(2_103);
});

const add = (entry: Omit<AuditRecord, 'actor'> & Partial<AuditRecord>) =>
  service.app.db.transaction((tx) => record(tx, service.app, { actor: 'owner', ...entry }));
const entriesOf = (account_id: string) =>
  service.app.db.rows<{ action: string; subject: string; before: unknown; after: unknown; count: number }>(
    'select action, subject, before, after, count from audit_entries where account_id = $1 order by id',
    [account_id],
  );

test('an audit entry commits or rolls back with the change that it records', async () => {
  const { account_id } = await service.customer('Alice');
  const failed = service.app.db.transaction(async (tx) => {
    await record(tx, service.app, { account_id, actor: 'owner', action: 'api_key.create' });
    throw new Error('The change failed');
  });
  await expect(failed).rejects.toThrow('The change failed');
  expect(await entriesOf(account_id)).toEqual([]);
});

test('the database refuses to change or remove an audit entry', async () => {
  const { account_id } = await service.customer('Ada');
  await add({ account_id, action: 'api_key.create', subject: 'Checkout' });
  const failures = JSON.stringify([{ of_account: account_id, network: '', subject: '', count: 1 }]);
  for (const [earlier, statement] of [
    ['1', `update audit_entries set subject = 'Another'`],
    ['1', 'delete from audit_entries'],
    ['1', 'truncate audit_entries'],
    // After the functions that may, in their transaction.
    [`count_failed_sign_ins('${failures}')`, 'delete from audit_entries'],
    [`erase_audit_entries('${account_id}', 9)`, 'delete from audit_entries'],
    ['remove_old_audit_entries(9, 9)', 'delete from audit_entries'],
  ] as const)
    await expect(
      service.app.db.transaction(async (tx) => {
        await tx.run(`select ${earlier}`);
        await tx.run(statement);
      }),
    ).rejects.toThrow('rows of audit_entries are never changed or removed');
  // Only those of a deleted account are erased.
  expect(await eraseAuditEntries(service.app.db, { account_id, most: 9 })).toBe(0);
  expect(await entriesOf(account_id)).toMatchObject([{ action: 'api_key.create', subject: 'Checkout' }]);
});

test('an audit entry contains no secret, whatever the caller records', async () => {
  const { account_id } = await service.customer('Sam');
  const after = {
    name: 'Checkout',
    key: 'sd_live_abcdefgh',
    note: 'sd_live_abcdefgh',
    prefix: 'sd_live_abcdef',
    others: ['sd_test_abcdefgh', 'sd_operator_abcdefgh'],
    list: [{ webhook_secret: 'whsec_abc', url: 'https://example.com' }],
    password_hash: 'x',
  };
  await add({ account_id, action: 'api_key.create', after });
  expect((await entriesOf(account_id))[0]?.after).toEqual({
    name: 'Checkout',
    note: '[secret]',
    prefix: 'sd_live_abcdef',
    others: ['[secret]', '[secret]'],
    list: [{ url: 'https://example.com' }],
  });
});

test('an audit entry records only the changed fields', () => {
  const before = { name: 'Checkout', note: '', scopes: ['otp:send'] };
  const fields = ['name', 'note', 'scopes'] as const;
  expect(changesBetween(before, { ...before, note: 'Shop' }, fields)).toEqual({
    before: { note: '' },
    after: { note: 'Shop' },
  });
  expect(changesBetween(before, { ...before, scopes: ['otp:send'] }, fields)).toBeUndefined();
});

test('the audit log of an account does not identify operators', async () => {
  const { account_id } = await service.customer('Otto');
  const origin = { ip_address: '192.0.2.1', user_agent: 'Console' };
  await add({ account_id, actor: 'operator', origin, action: 'account.suspend' });
  const [row] = await service.app.db.rows(
    'select ip_address, user_agent from audit_entries where account_id = $1',
    [account_id],
  );
  expect(row).toEqual({ ip_address: null, user_agent: null });
});

test(`audit entries are removed after ${AUDIT_DAYS} days`, async () => {
  const { account_id } = await service.customer('Olga');
  await add({ account_id, action: 'api_key.create', subject: 'First' });
  await service.clock.advance(10 * DAY);
  await add({ account_id, action: 'api_key.create', subject: 'Second' });
  await service.clock.advance((AUDIT_DAYS - 5) * DAY);
  await service.drain();
  expect((await entriesOf(account_id)).map(({ subject }) => subject)).toEqual(['Second']);
});

test('deleting the account removes its audit entries except the deletion, which names no person', async () => {
  const { access: bearer, password } = await person(service, 'Gone');
  const account_id = (await service.call(getMe, { bearer })).body.id;
  await add({ account_id, action: 'profile.change', after: { first_name: 'Ada' } });
  expect((await service.call(deleteMe, { bearer, body: { password } })).status).toBe(204);
  await service.clock.advance(DAY);
  await service.drain();
  const rows = await service.app.db.rows('select * from audit_entries where account_id = $1', [account_id]);
  expect(rows).toMatchObject([
    { action: 'account.delete', subject: '', before: null, after: null, ip_address: null, user_agent: null },
  ]);
});
