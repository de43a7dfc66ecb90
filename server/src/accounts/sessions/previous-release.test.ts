/** During a rolling restart, processes of the release before read and write a person's data in `accounts`. */

import { getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);

const COLUMNS = `id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
  two_factor_enabled, two_factor_method, two_factor_phone, time_zone`;
const rowsOf = (email: string) =>
  Promise.all(
    ['accounts', 'people'].map((table) =>
      service.app.db.maybe(`select ${COLUMNS} from ${table} where email = $1`, [email]),
    ),
  );

test('a user who signed up in a process of the release before can sign in here', async () => {
  const { db, random } = service.app;
  const alice = await person(service, 'Alice');
  const id = random.uuid();
  await db.run(
    `insert into accounts (id, email, username, password_hash, created_at)
     select $1, 'old@people.test', 'old', password_hash, now() from people where email = $2`,
    [id, alice.email],
  );
  const { body } = await service.call(signIn, {
    body: { email: 'old@people.test', password: alice.password },
  });
  const profile = await service.call(getProfile, { bearer: body.access ?? '' });
  expect(profile.body).toMatchObject({ email: 'old@people.test', username: 'old' });
});

test('a process of the release before cannot take the address or the username of a person', async () => {
  const { db, random } = service.app;
  const alice = await person(service, 'Alice');
  const username = (await service.call(getProfile, { bearer: alice.access })).body.username;
  const insert = (email: string, name: string) =>
    db.run(
      'insert into accounts (id, email, username, created_at) values ($1, $2, $3, now()) on conflict do nothing',
      [random.uuid(), email, name],
    );
  expect(await insert(alice.email, 'somebody')).toBe(0);
  expect(await insert('somebody@people.test', username)).toBe(0);
});

test('changes of the release before and of this one appear in both tables', async () => {
  const { db } = service.app;
  const alice = await person(service, 'Alice');
  await db.run(`update accounts set first_name = 'Old', two_factor_enabled = true where email = $1`, [
    alice.email,
  ]);
  expect((await rowsOf(alice.email))[1]).toMatchObject({ first_name: 'Old', two_factor_enabled: true });
  await db.run(`update people set last_name = 'New', password_hash = 'changed' where email = $1`, [
    alice.email,
  ]);
  const [account, same] = await rowsOf(alice.email);
  expect(account).toMatchObject({ first_name: 'Old', last_name: 'New', password_hash: 'changed' });
  expect(account).toEqual(same);
});

test('a session of the release before works here, and one of this release there', async () => {
  const { db, random } = service.app;
  const alice = await person(service, 'Alice');
  const { id } = await db.one<{ id: string }>('select id from people where email = $1', [alice.email]);
  const session = random.uuid();
  await db.run(
    `insert into sessions (id, account_id, refresh_hash, created_at, last_used_at, expires_at)
     values ($1, $2, 'a', now(), now(), now() + interval '1 day')`,
    [session, id],
  );
  expect(await db.rows('select person_id from sessions where id = $1', [session])).toEqual([
    { person_id: id },
  ]);
  const both = await db.rows('select 1 from sessions where account_id = $1 and person_id = $1', [id]);
  expect(both).toHaveLength(2);
});

test('a user who is deleted by the release before is erased, unless they have another account', async () => {
  const { db, random } = service.app;
  for (const isMember of [false, true]) {
    const alice = await person(service, 'Alice');
    const { id } = await db.one<{ id: string }>('select id from people where email = $1', [alice.email]);
    const other = random.uuid();
    if (isMember) {
      await db.run('insert into accounts (id, created_at) values ($1, now())', [other]);
      await db.run(
        `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'viewer', now())`,
        [other, id],
      );
    }
    await db.run('update accounts set email = null, username = null, deleted_at = now() where id = $1', [id]);
    const { email } = await db.one<{ email: string | null }>('select email from people where id = $1', [id]);
    expect(email).toBe(isMember ? alice.email : null);
    const left = await db.rows('select account_id from memberships where person_id = $1', [id]);
    expect(left).toEqual(isMember ? [{ account_id: other }] : []);
  }
});

test('the release before cannot sign in as an owner who has left their account', async () => {
  const { db } = service.app;
  const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
  const idOf = async (email: string) =>
    (await db.one<{ id: string }>('select id from people where email = $1', [email])).id;
  const [hers, his] = [await idOf(alice.email), await idOf(bob.email)];
  await db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'owner', now())`,
    [hers, his],
  );
  await db.run('delete from memberships where account_id = $1 and person_id = $1', [hers]);
  expect(await db.one(`select email, username, password_hash from accounts where id = $1`, [hers])).toEqual({
    email: bob.email,
    username: null,
    password_hash: null,
  });
  // A change of the account's row is not one of the person who left.
  await db.run(`update accounts set first_name = 'Bob' where id = $1`, [hers]);
  expect(await db.one('select email, first_name from people where id = $1', [hers])).toEqual({
    email: alice.email,
    first_name: '',
  });
});
