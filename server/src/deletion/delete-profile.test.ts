import { deleteMe, deleteProfile, getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { acceptInvitation, createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { leaveAccount } from '@sixdigit/contract/accounts/members.ts';
import { createAccount, listAccounts } from '@sixdigit/contract/accounts/own-accounts.ts';
import { signIn, signUp } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../test/held-lock.ts';
import { invitationTokenFor, type Member, signedInTo, subjectsTo, withoutProof } from '../../test/members.ts';
import { type Customer, testService } from '../../test/service.ts';

const service = fixture(testService);
const PASSWORD = 'long walks along the river';
let names = 0;

interface Guest {
  email: string;
  bearer: string;
  account: Customer;
  owner: Member;
}

/** A person without an account of their own, who is a member of another account. */
async function guest(): Promise<Guest> {
  names += 1;
  const account = await service.customer(`Founder${names}`);
  const owner = await signedInTo(service, account, account);
  const email = `guest.${names}@example.com`;
  await owner.call(createInvitation, { body: { email, role: 'viewer' } });
  const invitation = await invitationTokenFor(service, email);
  const body = {
    email,
    phone_number: '4155550123',
    password: PASSWORD,
    confirm_password: PASSWORD,
    invitation,
  };
  const { access = '' } = (await service.call(signUp, { body })).body;
  return { email, bearer: access, account, owner };
}

const leave = ({ bearer }: Guest) => service.call(leaveAccount, { bearer });
const erase = ({ bearer }: Guest, password = PASSWORD) =>
  service.call(deleteProfile, { bearer, body: { password } });

test('a person without an account deletes themselves: data, sessions and address are free again', async () => {
  const one = await guest();
  await leave(one);
  expect((await service.call(listAccounts, { bearer: one.bearer })).body.results).toEqual([]);
  expect((await erase(one)).status).toBe(204);
  expect((await service.call(getProfile, { bearer: one.bearer })).status).toBe(401);
  const signedIn = await service.call(signIn, { body: { email: one.email, password: PASSWORD } });
  expect(signedIn.body).toMatchObject({ reason: 'invalid_credentials' });
  expect((await subjectsTo(service, one.email))[0]).toBe('Your profile was deleted');
  expect(await service.app.db.rows('select from people where email = $1', [one.email])).toEqual([]);
});

test('a member of an account cannot delete themselves, and the refusal says what to do', async () => {
  const one = await guest();
  expect(await erase(one)).toMatchObject({
    status: 400,
    body: {
      reason: 'still_member',
      error: 'You are a member of an account. Leave or delete your accounts first.',
    },
  });
  await leave(one);
  await service.call(createAccount, { bearer: one.bearer, body: { name: 'My own' } });
  expect((await erase(one)).body).toMatchObject({ reason: 'still_member' });
  const { status } = await service.call(deleteMe, { bearer: one.bearer, body: { password: PASSWORD } });
  expect(status).toBe(204);
  // The deletion of the last account has erased the person.
  expect((await erase(one)).status).toBe(401);
});

test('the deletion needs a proof of identity and the password', async () => {
  const one = await guest();
  await leave(one);
  expect((await erase(one, 'wrong')).body).toMatchObject({ password: [expect.any(String)] });
  await withoutProof(service);
  expect((await erase(one)).body).toMatchObject({ reason: 'step_up_required' });
  expect((await service.call(getProfile, { bearer: one.bearer })).status).toBe(200);
});

test('wrong passwords in a session are limited', async () => {
  const one = await guest();
  await leave(one);
  for (let n = 0; n < 10; n += 1) expect((await erase(one, 'wrong')).status).toBe(400);
  expect(
    (await service.call(deleteProfile, { bearer: one.bearer, body: { password: PASSWORD } })).body,
  ).toMatchObject({ reason: 'too_many_requests' });
});

test('a person who joins an account and deletes themselves at the same moment does one of the two', async () => {
  const one = await guest();
  await leave(one);
  await one.owner.call(createInvitation, { body: { email: one.email, role: 'admin' } });
  const token = await invitationTokenFor(service, one.email);
  await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
    one.account.account_id,
  ]);
  const joining = service.call(acceptInvitation, { bearer: one.bearer, body: { token } });
  await untilWaiting(service, 1);
  const erasing = erase(one);
  await untilWaiting(service, 2);
  await held.commit();
  const [joined, erased] = [await joining, await erasing];
  expect([joined.status, erased.status, erased.body]).toMatchObject([200, 400, { reason: 'still_member' }]);
});
