import { deleteMe, getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { AUDIT_DAYS } from '@sixdigit/contract/audit.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';
import { type AuditRecord, changesBetween, record } from './audit.ts';

const service = fixture(testService);

const DAY = 86_400_000;
const add = (entry: Omit<AuditRecord, 'actor'> & Partial<AuditRecord>) =>
  service.app.db.transaction((tx) => record(tx, service.app, { actor: 'owner', ...entry }));
const entriesOf = (account_id: string) =>
  service.app.db.rows<{ action: string; subject: string; before: unknown; after: unknown; count: number }>(
    'select action, subject, before, after, count from audit_entries where account_id = $1 order by id',
    [account_id],
  );

test('an entry stands and falls with the transaction of its change', async () => {
  const { account_id } = await service.customer('Alice');
  const failed = service.app.db.transaction(async (tx) => {
    await record(tx, service.app, { account_id, actor: 'owner', action: 'api_key.create' });
    throw new Error('The change failed');
  });
  await expect(failed).rejects.toThrow('The change failed');
  expect(await entriesOf(account_id)).toEqual([]);
});

test('the database refuses to change or remove an entry', async () => {
  const { account_id } = await service.customer('Ada');
  await add({ account_id, action: 'api_key.create', subject: 'Checkout' });
  for (const statement of [
    `update audit_entries set subject = 'Another'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await expect(service.app.db.run(statement)).rejects.toThrow(
      'rows of audit_entries are never changed or removed',
    );
  expect(await entriesOf(account_id)).toMatchObject([{ action: 'api_key.create', subject: 'Checkout' }]);
});

test('an entry holds no secret, whatever the caller records', async () => {
  const { account_id } = await service.customer('Sam');
  const after = {
    name: 'Checkout',
    key: 'sd_live_abcdef',
    note: 'sd_live_abcdef',
    prefix: 'sd_live_abcd',
    others: ['sd_test_abcdef', 'sd_operator_abcdef'],
    list: [{ webhook_secret: 'whsec_abc', url: 'https://example.com' }],
    password_hash: 'x',
  };
  await add({ account_id, action: 'api_key.create', after });
  expect((await entriesOf(account_id))[0]?.after).toEqual({
    name: 'Checkout',
    note: '[secret]',
    prefix: 'sd_live_abcd',
    others: ['[secret]', '[secret]'],
    list: [{ url: 'https://example.com' }],
  });
});

test('only the fields that differ are recorded', () => {
  const before = { name: 'Checkout', note: '', scopes: ['otp:send'] };
  const fields = ['name', 'note', 'scopes'] as const;
  expect(changesBetween(before, { ...before, note: 'Shop' }, fields)).toEqual({
    before: { note: '' },
    after: { note: 'Shop' },
  });
  expect(changesBetween(before, { ...before, scopes: ['otp:send'] }, fields)).toBeUndefined();
});

test('an operator stays anonymous to the account', async () => {
  const { account_id } = await service.customer('Otto');
  const origin = { ip_address: '192.0.2.1', user_agent: 'Console' };
  await add({ account_id, actor: 'operator', origin, action: 'account.suspend' });
  const [row] = await service.app.db.rows(
    'select ip_address, user_agent from audit_entries where account_id = $1',
    [account_id],
  );
  expect(row).toEqual({ ip_address: null, user_agent: null });
});

test(`entries go after ${AUDIT_DAYS} days`, async () => {
  const { account_id } = await service.customer('Olga');
  await add({ account_id, action: 'api_key.create', subject: 'First' });
  await service.clock.advance(10 * DAY);
  await add({ account_id, action: 'api_key.create', subject: 'Second' });
  await service.clock.advance((AUDIT_DAYS - 5) * DAY);
  await service.drain();
  expect((await entriesOf(account_id)).map(({ subject }) => subject)).toEqual(['Second']);
});

test('deleting the account removes its entries but that of the deletion, which names no person', async () => {
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
