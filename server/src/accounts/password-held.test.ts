import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);

test('a password change during a sign-in with the old password leaves that sign-in without a session', async () => {
  const alice = await person(service, 'Alice');
  const bob = await person(service, 'Bob');
  const sessions = async () =>
    (
      await service.app.db.one<{ n: number }>(
        'select count(*) as n from sessions s join accounts a on a.id = s.account_id where a.email = $1',
        [alice.email],
      )
    ).n;
  const before = await sessions();
  await using change = await holdLock(service, 'select 1 from accounts where email = $1 for update', [
    alice.email,
  ]);
  const answer = service.call(signIn, { body: { email: alice.email, password: alice.password } });
  // The old password was right, and the insert of the session waits for the account row.
  await untilBlocked(service, 'for share');
  await change.run(
    'update accounts set password_hash = (select password_hash from accounts where email = $2) where email = $1',
    [alice.email, bob.email],
  );
  await change.commit();
  expect(await answer).toMatchObject({ status: 400, body: { reason: 'invalid_credentials' } });
  expect(await sessions()).toBe(before);
});
