/** What ends an invitation ends no other: neither those of other accounts nor those of other members. */

import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { changeRole, removeMember } from '@sixdigit/contract/accounts/members.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { invitationTokenFor, type Member, member, signedInTo, teamStage } from '../../../test/members.ts';
import { person } from '../../../test/person.ts';
import { type Customer, testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const service = fixture(testService);

const account = teamStage(service);

const invite = (by: Member, email: string, role: Role = 'viewer') =>
  by.call(createInvitation, { body: { email, role } });
const openOf = async (by: Member) =>
  (await by.call(listInvitations)).body.results.map(({ email }) => email).toSorted();
/** A new member of the account, and the same person in the account of their own. */
async function memberWithOwn(of: Customer, role: Role): Promise<{ here: Member; own: Member }> {
  const here = await member(service, of, role);
  const own = { account_id: here.person_id, email: here.email };
  return { here, own: await signedInTo(service, own, own) };
}

test('removing a member revokes no invitations of others, nor the member’s invitations to other accounts', async () => {
  const { customer, owner } = await account();
  const { here, own } = await memberWithOwn(customer, 'admin');
  await invite(owner, 'of.owner@example.com');
  await invite(here, 'of.member@example.com');
  await invite(own, 'elsewhere@example.com');
  await owner.call(removeMember, { params: { person_id: here.person_id } });
  expect(await openOf(owner)).toEqual(['of.owner@example.com']);
  expect(await openOf(own)).toEqual(['elsewhere@example.com']);
});

test.each(['developer', 'support', 'viewer'] as const)(
  'a member who becomes %s loses all invitations to this account, and no others end',
  async (role) => {
    const { customer, owner } = await account();
    const { here, own } = await memberWithOwn(customer, 'owner');
    await invite(owner, `owner.${role}@example.com`, 'owner');
    await invite(here, `low.${role}@example.com`, 'viewer');
    await invite(here, `high.${role}@example.com`, 'owner');
    await invite(own, `elsewhere.${role}@example.com`, 'owner');
    await owner.call(changeRole, { params: { person_id: here.person_id }, body: { role } });
    expect(await openOf(owner)).toEqual([`owner.${role}@example.com`]);
    expect(await openOf(own)).toEqual([`elsewhere.${role}@example.com`]);
  },
);

test('deleting an account ends only its own invitations', async () => {
  const { owner: other } = await account();
  const { access: bearer, password } = await person(service, 'Leaver');
  await service.call(createInvitation, { bearer, body: { email: 'ends@example.com', role: 'viewer' } });
  await invite(other, 'stays@example.com');
  const token = await invitationTokenFor(service, 'ends@example.com');
  expect((await service.call(deleteMe, { bearer, body: { password } })).status).toBe(204);
  expect((await service.call(showInvitation, { body: { token } })).status).toBe(404);
  expect(await openOf(other)).toEqual(['stays@example.com']);
});

test('an address that is invited again after seven days gets the new role, inviter and link', async () => {
  const { customer, owner } = await account();
  const admin = await member(service, customer, 'admin');
  const email = 'once.more@example.com';
  const { id } = (await invite(owner, email, 'viewer')).body;
  expect((await owner.call(resendInvitation, { params: { id } })).status).toBe(200);
  await service.clock.advance(7 * DAY);
  const later = await signedInTo(service, customer, { account_id: admin.person_id, email: admin.email });
  expect((await later.call(resendInvitation, { params: { id } })).status).toBe(404);
  expect((await later.call(revokeInvitation, { params: { id } })).status).toBe(404);
  const again = await invite(later, email, 'developer');
  expect(again.status).toBe(201);
  const token = await invitationTokenFor(service, email);
  expect(await service.call(showInvitation, { body: { token } })).toMatchObject({
    status: 200,
    body: { role: 'developer', invited_by: admin.email },
  });
});

test('expired invitations do not count toward the 20 open ones of an account', async () => {
  const { customer, owner } = await account();
  await service.app.db.run(
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     select new_uuid(), $1::uuid, 'expired.' || n || '@example.com', 'viewer', sha256(($1::text || n)::bytea), $2,
       clock_now() - interval '8 days', clock_now() - interval '1 day'
     from generate_series(1, 20) n`,
    [customer.account_id, owner.person_id],
  );
  expect((await invite(owner, 'fresh@example.com')).status).toBe(201);
});

test('a person sends at most 100 invitations a day from all their accounts together', async () => {
  const { customer, owner } = await account();
  const places = [owner];
  for (let n = 0; n < 2; n += 1) {
    const other = (await account()).customer;
    await service.app.db.run(
      `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'owner', clock_now())`,
      [other.account_id, customer.account_id],
    );
    places.push(await signedInTo(service, other, customer));
  }
  const statuses: number[] = [];
  for (let n = 0; n < 102; n += 1) {
    const by = places[n % 3] ?? owner;
    const made = await invite(by, `spread.${n}@example.com`);
    statuses.push(made.status);
    if (made.status === 201) await by.call(revokeInvitation, { params: { id: made.body.id } });
  }
  expect(statuses).toEqual([...Array(100).fill(201), 429, 429]);
});
