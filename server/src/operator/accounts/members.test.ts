import { getMe, getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  endAccountSessions,
  endMemberSessions,
  getOperatorAccount,
  makeOwner,
} from '@sixdigit/contract/operator/accounts.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Member, member, memberOf, rolesIn, subjectsTo, teamStage } from '../../../test/members.ts';
import { auditOf, type TestOperator, testOperator } from '../../../test/operator.ts';
import { type Customer, testService } from '../../../test/service.ts';

const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));

const account = teamStage(service);
const at = ({ account_id }: Customer) => ({ params: { id: account_id } });
const reason = 'Asked by phone';

test('operators see the members of an account with their roles', async () => {
  const { customer, owner } = await account();
  const admin = await member(service, customer, 'admin');
  await admin.call(getMe);
  const { body } = await sam.call(getOperatorAccount, at(customer));
  expect(body.members).toEqual([
    {
      person_id: owner.person_id,
      email: owner.email,
      role: 'owner',
      joined_at: expect.any(String),
      last_seen_at: null,
    },
    {
      person_id: admin.person_id,
      email: admin.email,
      role: 'admin',
      joined_at: expect.any(String),
      last_seen_at: expect.any(String),
    },
  ]);
});

test('an admin makes a member the owner of an account without one; both logs and all members are told', async () => {
  const { customer, owner } = await account();
  const [heir, viewer] = [
    await member(service, customer, 'developer'),
    await member(service, customer, 'viewer'),
  ];
  await service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    customer.account_id,
    owner.person_id,
  ]);
  const made = await olivia.call(makeOwner, { ...at(customer), body: { person_id: heir.person_id, reason } });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({ email: heir.email });
  expect(made.body.members.find(({ person_id }) => person_id === heir.person_id)?.role).toBe('owner');
  expect((await heir.call(getMe)).body.role).toBe('owner');
  for (const { email } of [heir, viewer])
    expect(await subjectsTo(service, email)).toEqual(['Your Sixdigit account has a new owner']);
  const { results } = (await heir.call(listAuditEntries, { query: { group: 'member' } })).body;
  expect(results).toMatchObject([
    { actor: 'operator', action: 'member.role', subject: heir.email, after: { role: 'owner' }, person: null },
  ]);
  const own = (await auditOf(service)).filter(({ action }) => action === 'account.make_owner');
  expect(own).toEqual([
    { action: 'account.make_owner', reason, before: { role: 'developer' }, after: { role: 'owner' } },
  ]);
  expect(JSON.stringify(await service.app.db.rows('select * from operator_actions'))).not.toContain(
    heir.email,
  );
});

test('only a member can be made owner, only by an admin, and never the operator', async () => {
  const { customer } = await account();
  const viewer = await member(service, customer, 'viewer');
  const stranger = await service.customer('Stranger');
  const make = (by: TestOperator, person_id: string) =>
    by.call(makeOwner, { ...at(customer), body: { person_id, reason } });
  expect((await make(olivia, stranger.account_id)).body).toMatchObject({
    person_id: ['Choose a member of the account.'],
  });
  expect((await make(olivia, olivia.account_id)).body).toMatchObject({
    person_id: ['You cannot make yourself the owner of an account.'],
  });
  expect((await make(sam, viewer.person_id)).body).toMatchObject({ reason: 'operator_role_required' });
  const noReason = await olivia.call(makeOwner, { ...at(customer), body: { person_id: viewer.person_id } });
  expect(noReason.body).toMatchObject({ reason: [expect.any(String)] });
  const unknown = await olivia.call(makeOwner, {
    params: { id: service.app.random.uuid() },
    body: { person_id: viewer.person_id, reason },
  });
  expect(unknown.status).toBe(404);
  expect((await rolesIn(service, customer.account_id))[viewer.email.split('@')[0] ?? '']).toBe('viewer');
});

test('an admin ends the sessions of one member, or of all members', async () => {
  const { customer, owner } = await account();
  const [one, two] = [
    await memberOf(service, customer, 'One', 'viewer'),
    await memberOf(service, customer, 'Two', 'viewer'),
  ];
  const isIn = async ({ bearer }: Member) => (await service.call(getProfile, { bearer })).status === 200;
  const end = (person_id: string) =>
    olivia.call(endMemberSessions, {
      params: { id: customer.account_id, person_id },
      body: { reason },
    });
  expect((await end(one.person_id)).body).toEqual({ ended: 1 });
  expect([await isIn(owner), await isIn(one), await isIn(two)]).toEqual([true, false, true]);
  for (const nobody of [olivia.account_id, service.app.random.uuid(), 'none'])
    expect((await end(nobody)).status).toBe(404);
  const all = await olivia.call(endAccountSessions, { ...at(customer), body: { reason } });
  expect(all.body).toEqual({ ended: 2 });
  expect([await isIn(owner), await isIn(two)]).toEqual([false, false]);
});
