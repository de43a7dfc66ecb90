import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { crowd, type Member, member, signedInTo, subjectsTo, teamStage } from '../../../test/members.ts';
import { type Customer, testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const service = fixture(testService);

const account = teamStage(service);

const invite = (by: Member, email: string) => by.call(createInvitation, { body: { email, role: 'viewer' } });
const openOf = async (by: Member) => (await by.call(listInvitations)).body.results.map(({ email }) => email);

const fill = (customer: Customer, owner: Member, count: number) =>
  service.app.db.run(
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     select new_uuid(), $1::uuid, 'open.' || n || '@example.com', 'viewer', sha256(($1::text || n)::bytea), $2, clock_now(),
       clock_now() + interval '1 day'
     from generate_series(1, $3) n`,
    [customer.account_id, owner.person_id, count],
  );

test('an account has at most 20 open invitations, even if two are made at the same moment', async () => {
  const { customer, owner } = await account();
  await fill(customer, owner, 19);
  await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
    customer.account_id,
  ]);
  const answers = [invite(owner, 'one@example.com'), invite(owner, 'two@example.com')];
  await untilWaiting(service, 2);
  await held.commit();
  const made = await Promise.all(answers);
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(made.find(({ status }) => status === 400)?.body).toMatchObject({
    reason: 'invitation_limit_reached',
  });
  expect(await openOf(owner)).toHaveLength(20);
});

test('an account with 500 members cannot invite another person', async () => {
  const { customer, owner } = await account();
  await crowd(service, customer, 499);
  expect((await invite(owner, 'too.many@example.com')).body).toMatchObject({
    reason: 'member_limit_reached',
    error: 'An account can have at most 500 members.',
  });
});

test('an account sends at most 50 mails a day, whether or not it revokes the invitations', async () => {
  const { customer, owner } = await account();
  const { id } = (await invite(owner, 'many.0@example.com')).body;
  for (let n = 1; n < 50; n += 1) {
    const made = await invite(owner, `many.${n}@example.com`);
    expect(made.status).toBe(201);
    await owner.call(revokeInvitation, { params: { id: made.body.id } });
  }
  const refused = await invite(owner, 'many.50@example.com');
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect(refused.body.retry_after).toBeGreaterThan(80_000);
  const { status, body } = await owner.call(resendInvitation, { params: { id } });
  expect({ status, body }).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect(await openOf(owner)).toEqual(['many.0@example.com']);
  await service.clock.advance(DAY);
  const later = await signedInTo(service, customer, customer);
  expect((await invite(later, 'many.50@example.com')).status).toBe(201);
});

const TOO_OFTEN = {
  status: 429,
  body: {
    reason: 'invited_too_often',
    error: expect.stringMatching(
      /^This address has been sent too many invitations today\. Try again in .*hours/,
    ),
  },
};

test('an address gets at most 30 invitations a day from all accounts together', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 32; n += 1) {
    const { owner } = await account();
    statuses.push((await invite(owner, 'flooded@example.com')).status);
  }
  expect(statuses).toEqual([...Array(30).fill(201), 429, 429]);
  const { owner } = await account();
  expect(await invite(owner, 'flooded@example.com')).toMatchObject(TOO_OFTEN);
  expect(await subjectsTo(service, 'flooded@example.com')).toHaveLength(30);
});

test('one account with several admins cannot keep an address from being invited by another account', async () => {
  const email = 'wanted@example.com';
  const { customer, owner } = await account();
  const attackers = [owner];
  for (let n = 0; n < 4; n += 1) attackers.push(await member(service, customer, 'admin'));
  const first = await invite(owner, email);
  expect(first.status).toBe(201);
  const { id } = first.body;
  const statuses: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    const by = attackers[n % attackers.length] ?? owner;
    statuses.push((await by.call(resendInvitation, { params: { id } })).status);
  }
  expect(statuses).toEqual([200, 200, ...Array(38).fill(429)]);
  expect(await owner.call(resendInvitation, { params: { id } })).toMatchObject(TOO_OFTEN);
  await owner.call(revokeInvitation, { params: { id } });
  expect(await invite(owner, email)).toMatchObject(TOO_OFTEN);
  expect(await openOf(owner)).toEqual([]);

  const { owner: company } = await account();
  const invited = await invite(company, email);
  expect(invited.status).toBe(201);
  for (let n = 0; n < 2; n += 1)
    expect((await company.call(resendInvitation, { params: { id: invited.body.id } })).status).toBe(200);
  expect(await subjectsTo(service, email)).toHaveLength(6);
});

test('one person with several accounts cannot keep an address from being invited by another person', async () => {
  const email = 'sought@example.com';
  const { customer } = await account();
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const other = await service.customer(`Shell${n}`);
    await service.app.db.run(
      `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'owner', clock_now())`,
      [other.account_id, customer.account_id],
    );
    statuses.push((await invite(await signedInTo(service, other, customer), email)).status);
  }
  expect(statuses).toEqual([...Array(3).fill(201), ...Array(9).fill(429)]);
  expect((await invite((await account()).owner, email)).status).toBe(201);
});

test('invitations that are refused do not count for the other accounts that invite the address', async () => {
  const email = 'counted@example.com';
  const colleagues: Member[] = [];
  const { customer, owner } = await account();
  for (let n = 0; n < 3; n += 1) colleagues.push(await member(service, customer, 'admin'));
  await invite(owner, email);
  for (let n = 0; n < 40; n += 1) expect((await invite(colleagues[n % 3] ?? owner, email)).status).toBe(400);
  for (let n = 0; n < 10; n += 1) {
    const { owner: other } = await account();
    expect((await invite(other, email)).status).toBe(201);
  }
});

test('an account can invite an address again a day later', async () => {
  const { customer, owner } = await account();
  const { id } = (await invite(owner, 'tomorrow@example.com')).body;
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await owner.call(resendInvitation, { params: { id } })).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  await service.clock.advance(DAY);
  const later = await signedInTo(service, customer, customer);
  expect((await later.call(resendInvitation, { params: { id } })).status).toBe(200);
});
