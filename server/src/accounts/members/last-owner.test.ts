/** Two owners, each of whom would leave the account without one if both changes took effect. */

import { changeRole, leaveAccount, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { expect, test } from 'vitest';
import { type AnotherProcess, anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { type Member, memberOf, rolesIn, signedInTo } from '../../../test/members.ts';
import { type Customer, testService } from '../../../test/service.ts';

const service = fixture(testService);
let names = 0;

const other = fixture(() => anotherProcess(service));

interface Pair {
  account: Customer;
  alice: Member;
  dana: Member;
}

async function twoOwners(): Promise<Pair> {
  names += 1;
  const account = await service.customer(`Alice${names}`);
  const alice = await signedInTo(service, account, account);
  const dana = await memberOf(service, account, `Dana${names}`, 'owner');
  return { account, alice, dana };
}

const at = ({ person_id }: Member) => ({ params: { person_id } });
const demoting = { body: { role: 'viewer' } } as const;

type Change = (process: { call: AnotherProcess['call'] }) => Promise<{ status: number; body: unknown }>;

/**
 * Makes two changes on two processes at the same moment: both wait for the rows of the memberships, which a transaction of the
 * test holds, so that neither has committed when the other begins.
 */
async function atOnce({ account }: Pair, one: Change, two: Change): Promise<string[]> {
  // The first request of each person notes their last use in the row.
  await service.app.db.run('update memberships set last_seen_at = clock_now() where account_id = $1', [
    account.account_id,
  ]);
  await using held = await holdLock(
    service,
    'select from memberships where account_id = $1 for no key update',
    [account.account_id],
  );
  const answers = [one(service), two(other)];
  await untilWaiting(service, 2);
  await held.commit();
  return (await Promise.all(answers)).map(
    ({ status, body }) => (body as { reason?: string } | undefined)?.reason ?? String(status),
  );
}

const ownersIn = async ({ account }: Pair): Promise<number> =>
  Object.values(await rolesIn(service, account.account_id)).filter((role) => role === 'owner').length;

test('the last owner can neither leave, be removed nor step down', async () => {
  const account = await service.customer('Alone');
  const alone = await signedInTo(service, account, account);
  await memberOf(service, account, 'Adam', 'admin');
  const before = await rolesIn(service, account.account_id);
  for (const answer of [
    await alone.call(leaveAccount),
    await alone.call(removeMember, at(alone)),
    await alone.call(changeRole, { ...at(alone), body: { role: 'admin' } }),
  ])
    expect(answer).toMatchObject({
      status: 400,
      body: {
        reason: 'last_owner',
        error: 'An account always has an owner. Make another member an owner first, or delete the account.',
      },
    });
  expect(await rolesIn(service, account.account_id)).toEqual(before);
});

test('if two owners leave at the same moment, one stays', async () => {
  const pair = await twoOwners();
  const leaving =
    (who: Member): Change =>
    (process) =>
      who.callOn(process, leaveAccount);
  const outcomes = await atOnce(pair, leaving(pair.alice), leaving(pair.dana));
  expect(outcomes.toSorted()).toEqual(['204', 'last_owner']);
  expect(await ownersIn(pair)).toBe(1);
});

test('if two owners step down at the same moment, one stays an owner', async () => {
  const pair = await twoOwners();
  const steppingDown =
    (who: Member): Change =>
    (process) =>
      who.callOn(process, changeRole, { ...at(who), ...demoting });
  const outcomes = await atOnce(pair, steppingDown(pair.alice), steppingDown(pair.dana));
  expect(outcomes.toSorted()).toEqual(['200', 'last_owner']);
  expect(await ownersIn(pair)).toBe(1);
});

test('if two owners demote each other at the same moment, one stays an owner and the other gets role_too_low', async () => {
  const pair = await twoOwners();
  const { alice, dana } = pair;
  const outcomes = await atOnce(
    pair,
    (process) => alice.callOn(process, changeRole, { ...at(dana), ...demoting }),
    (process) => dana.callOn(process, changeRole, { ...at(alice), ...demoting }),
  );
  expect(outcomes.toSorted()).toEqual(['200', 'role_too_low']);
  expect(await ownersIn(pair)).toBe(1);
});

test('if two owners remove each other at the same moment, one stays and the other gets 404', async () => {
  const pair = await twoOwners();
  const { alice, dana } = pair;
  const outcomes = await atOnce(
    pair,
    (process) => alice.callOn(process, removeMember, at(dana)),
    (process) => dana.callOn(process, removeMember, at(alice)),
  );
  expect(outcomes.toSorted()).toEqual(['204', 'not_found']);
  expect(await ownersIn(pair)).toBe(1);
});

test('an owner who leaves while the other owner demotes them leaves the other one as owner', async () => {
  const pair = await twoOwners();
  const { alice, dana } = pair;
  const outcomes = await atOnce(
    pair,
    (process) => alice.callOn(process, leaveAccount),
    (process) => dana.callOn(process, changeRole, { ...at(alice), ...demoting }),
  );
  // Whichever comes second finds Alice a viewer, who may leave, or gone.
  expect(['204,200', '204,not_found']).toContain(outcomes.join());
  expect(await ownersIn(pair)).toBe(1);
});

test('an owner who leaves while demoting the other owner leaves the account with an owner', async () => {
  const pair = await twoOwners();
  const { alice, dana } = pair;
  const outcomes = await atOnce(
    pair,
    (process) => alice.callOn(process, leaveAccount),
    (process) => alice.callOn(process, changeRole, { ...at(dana), ...demoting }),
  );
  expect(['204,not_found', 'last_owner,200']).toContain(outcomes.join());
  expect(await ownersIn(pair)).toBe(1);
});

test('an admin demoted while their own change waits cannot make it', async () => {
  const { account, alice } = await twoOwners();
  const [admin, viewer] = [
    await memberOf(service, account, `Adam${names}`, 'admin'),
    await memberOf(service, account, `Vera${names}`, 'viewer'),
  ];
  await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
    account.account_id,
  ]);
  // Support would suffice for both roles, if changing roles did not need an admin.
  const waiting = admin.call(changeRole, { ...at(viewer), body: { role: 'support' } });
  await untilWaiting(service, 1);
  await held.run(`update memberships set role = 'support' where person_id = $1 and account_id = $2`, [
    admin.person_id,
    account.account_id,
  ]);
  await held.commit();
  expect((await waiting).body).toMatchObject({ reason: 'role_too_low', needs: 'admin' });
  expect((await alice.call(changeRole, { ...at(viewer), body: { role: 'viewer' } })).body).toMatchObject({
    role: 'viewer',
  });
});
