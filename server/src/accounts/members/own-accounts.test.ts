import { getMe, getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import {
  ACCOUNTS_MAX,
  createAccount,
  listAccounts,
  type OwnAccount,
  renameAccount,
  transferCredits,
} from '@sixdigit/contract/accounts/own-accounts.ts';
import { createApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { listTransactions } from '@sixdigit/contract/payments.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);

const accountsOf = async ({ access: bearer }: Person): Promise<OwnAccount[]> =>
  (await service.call(listAccounts, { bearer })).body.results;
const create = ({ access: bearer }: Person, name: string) =>
  service.call(createAccount, { bearer, body: { name } });
const within = ({ access: bearer }: Person, account_id: string) => ({
  bearer,
  headers: { 'x-account': account_id },
});
const creditsIn = async (somebody: Person, account_id: string): Promise<number> =>
  (await service.call(getMe, within(somebody, account_id))).body.credits;

test('a person with one account sees it under their address, without a place in addresses', async () => {
  const alice = await person(service, 'Alice');
  const me = (await service.call(getMe, { bearer: alice.access })).body;
  expect(await accountsOf(alice)).toEqual([
    { id: me.account_id, name: alice.email, slug: '', role: 'owner' },
  ]);
});

test('each account has its own balance, keys and audit log, chosen by a header of the call', async () => {
  const alice = await person(service, 'Alice');
  const { status, body: shop } = await create(alice, 'Straße & Söhne');
  expect(status).toBe(201);
  const [first, second, ...more] = await accountsOf(alice);
  expect(second).toEqual(shop);
  expect(more).toEqual([]);
  expect(shop).toMatchObject({ name: 'Straße & Söhne', role: 'owner' });
  expect(shop.slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(first?.slug).toMatch(/^alice/);

  await service.call(createApiKey, { ...within(alice, shop.id), body: { name: 'Shop key' } });
  const names = async (input: object) =>
    (await service.call(listApiKeys, input)).body.results.map(({ name }) => name);
  expect(await names(within(alice, shop.id))).toEqual(['Shop key']);
  expect(await names({ bearer: alice.access })).toEqual([]);
  expect(await creditsIn(alice, first?.id ?? '')).toBe(25);
  expect(await creditsIn(alice, shop.id)).toBe(0);
  const { results } = (await service.call(listAuditEntries, within(alice, shop.id))).body;
  expect(results.map(({ action, person: by }) => [action, by?.email])).toEqual([
    ['api_key.create', alice.email],
    ['account.create', alice.email],
  ]);
});

test('an account of somebody else, an unknown one and a malformed id get the same response', async () => {
  const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
  const [bobs] = await accountsOf(bob);
  const answers = await Promise.all(
    [bobs?.id ?? '', service.app.random.uuid(), 'shop', '', `${bobs?.id}, ${bobs?.id}`].map((id) =>
      service.call(getMe, within(alice, id)),
    ),
  );
  for (const { status, body } of answers)
    expect({ status, body }).toEqual({ status: 404, body: answers[1]?.body });
  // A call about the person reads no account.
  expect((await service.call(getProfile, within(alice, bobs?.id ?? ''))).body.email).toBe(alice.email);
});

test('two accounts with one name get different places in addresses, also at the same time', async () => {
  const people = await Promise.all(['Ann', 'Ben', 'Cem'].map((name) => person(service, name)));
  const created = await Promise.all(people.map((one) => create(one, 'Acme')));
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(created.map(({ body }) => body.slug)).size).toBe(3);
});

test('while a person’s new account waits for their first one, other people get places in addresses', async () => {
  const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
  const [own] = await accountsOf(alice);
  await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
    own?.id,
  ]);
  const waiting = create(alice, 'Shop');
  await untilWaiting(service, 1);
  expect((await create(bob, 'Market')).status).toBe(201);
  await held.commit();
  expect((await waiting).status).toBe(201);
});

test('a person’s own account comes first, the others in the order of joining, and the first is the default', async () => {
  const alice = await person(service, 'Alice');
  const [own] = await accountsOf(alice);
  const [one, two] = [(await create(alice, 'One')).body, (await create(alice, 'Two')).body];
  for (const [hours, id] of [
    [1, one.id],
    [2, own?.id],
  ] as const)
    await service.app.db.run(
      `update memberships set joined_at = joined_at + $2 * interval '1 hour' where account_id = $1`,
      [id, hours],
    );
  const first = async () => (await service.call(getMe, { bearer: alice.access })).body.account_id;
  expect((await accountsOf(alice)).map(({ id }) => id)).toEqual([own?.id, two.id, one.id]);
  expect(await first()).toBe(own?.id);
  await service.app.db.run('delete from memberships where account_id = $1', [own?.id]);
  expect(await first()).toBe(two.id);
});

test('of two accounts created at the same time, only the one up to the limit of a person is', async () => {
  const alice = await person(service, 'Alice');
  const [own] = await accountsOf(alice);
  await service.app.db.run(
    `with made as (insert into accounts (id, created_at) select new_uuid(), now() from generate_series(1, $2) returning id)
     insert into memberships (account_id, person_id, role, joined_at) select id, $1, 'viewer', now() from made`,
    [own?.id, ACCOUNTS_MAX - 2],
  );
  const answers = await Promise.all(['One', 'Two'].map((name) => create(alice, name)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
    reason: 'account_limit_reached',
  });
  expect(await accountsOf(alice)).toHaveLength(ACCOUNTS_MAX);
});

test('a person creates at most ten accounts a day', async () => {
  const alice = await person(service, 'Alice');
  for (let n = 0; n < 10; n += 1) expect((await create(alice, `Shop ${n}`)).status).toBe(201);
  expect((await create(alice, 'One more')).body).toMatchObject({ reason: 'too_many_requests' });
});

test('a renamed account keeps its place in addresses', async () => {
  const alice = await person(service, 'Alice');
  const { body: shop } = await create(alice, 'Shop');
  const rename = (name: string) => service.call(renameAccount, { ...within(alice, shop.id), body: { name } });
  expect((await rename('Market')).body).toEqual({ ...shop, name: 'Market' });
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(101)])
    expect((await rename(name)).status, JSON.stringify(name)).toBe(400);
  const { results } = (await service.call(listAuditEntries, within(alice, shop.id))).body;
  expect(results[0]).toMatchObject({
    action: 'account.rename',
    before: { name: 'Shop' },
    after: { name: 'Market' },
  });
});

describe('credits between two accounts of one owner', () => {
  const twoAccounts = async () => {
    const alice = await person(service, 'Alice');
    const { body: shop } = await create(alice, 'Shop');
    const [own] = await accountsOf(alice);
    const move = (body: Record<string, unknown>, key?: string) =>
      service.call(transferCredits, {
        bearer: alice.access,
        body,
        ...(key ? { headers: { 'idempotency-key': key } } : {}),
      });
    return { alice, own: own?.id ?? '', shop: shop.id, move };
  };

  test('both histories show the move, under one reference', async () => {
    const { alice, own, shop, move } = await twoAccounts();
    expect((await move({ to_account_id: shop, credits: 10 })).body).toEqual({ credits: 15 });
    expect(await creditsIn(alice, shop)).toBe(10);
    const rowOf = async (id: string) =>
      (await service.call(listTransactions, within(alice, id))).body.results[0];
    expect(await rowOf(own)).toMatchObject({
      kind: 'transfer',
      transaction_type: 'usage',
      amount: 10,
      description: 'To Shop',
    });
    expect(await rowOf(shop)).toMatchObject({
      kind: 'transfer',
      transaction_type: 'purchase',
      amount: 10,
      description: `From ${alice.email}`,
    });
    const rows = await service.app.db.rows<{ reference: string; sum: number }>(
      `select reference, sum(credits)::integer as sum from ledger where account_id = any ($1) and kind like 'transfer%'
       group by reference`,
      [[own, shop]],
    );
    expect(rows).toEqual([{ reference: expect.stringMatching(/^transfer:/), sum: 0 }]);
  });

  test('a repeated request moves the credits once, also at the same time', async () => {
    const { alice, shop, move } = await twoAccounts();
    const body = { to_account_id: shop, credits: 10 };
    const answers = await Promise.all([move(body, 'once'), move(body, 'once')]);
    expect(answers.map(({ body: answer }) => answer)).toEqual([{ credits: 15 }, { credits: 15 }]);
    expect((await move(body, 'once')).body).toEqual({ credits: 15 });
    expect(await creditsIn(alice, shop)).toBe(10);
  });

  test('concurrent moves never take more than the account has', async () => {
    const { alice, own, shop, move } = await twoAccounts();
    const back = () =>
      service.call(transferCredits, { ...within(alice, shop), body: { to_account_id: own, credits: 3 } });
    const moves = Array.from({ length: 8 }, () => move({ to_account_id: shop, credits: 7 }));
    const answers = await Promise.all([...moves, back(), back()]);
    for (const { status } of answers) expect([200, 402]).toContain(status);
    const [left, moved] = [await creditsIn(alice, own), await creditsIn(alice, shop)];
    expect(left + moved).toBe(25);
    expect(Math.min(left, moved)).toBeGreaterThanOrEqual(0);
  });

  test('an owner who is demoted while their credits wait moves none', async () => {
    const { alice, own, shop, move } = await twoAccounts();
    await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
      shop,
    ]);
    const waiting = move({ to_account_id: shop, credits: 1 });
    await untilWaiting(service, 1);
    await held.run(`update memberships set role = 'admin' where account_id = $1`, [shop]);
    await held.commit();
    expect((await waiting).body).toHaveProperty('to_account_id');
    expect(await creditsIn(alice, own)).toBe(25);
  });

  test('a move to an account of somebody else, to a suspended one or of a wrong amount changes nothing', async () => {
    const { alice, own, shop, move } = await twoAccounts();
    const bob = await person(service, 'Bob');
    const [bobs] = await accountsOf(bob);
    for (const id of [bobs?.id, service.app.random.uuid(), own])
      expect((await move({ to_account_id: id, credits: 1 })).body, id).toHaveProperty('to_account_id');
    for (const credits of [0, -1, 1.5, '5', null, 2_000_000_000])
      expect((await move({ to_account_id: shop, credits })).body, `${credits}`).toHaveProperty('credits');
    await service.app.db.run('update accounts set suspended_at = now() where id = $1', [shop]);
    expect((await move({ to_account_id: shop, credits: 1 })).status).toBe(400);
    await service.app.db.run('update accounts set suspended_at = null where id = $1', [shop]);
    await service.app.db.run(`update memberships set role = 'admin' where account_id = $1`, [shop]);
    expect((await move({ to_account_id: shop, credits: 1 })).status).toBe(400);
    expect(await creditsIn(alice, own)).toBe(25);
    expect(await creditsIn(alice, shop)).toBe(0);
  });
});
