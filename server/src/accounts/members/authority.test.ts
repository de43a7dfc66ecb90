/** Calls that lock the account before they write, made by a member who loses the right to them while they wait for the lock. */

import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, updateBranding, updateLowBalance } from '@sixdigit/contract/accounts/branding.ts';
import { createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { changeRole, leaveAccount, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { renameAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { checkSso, removeSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { type Member, memberOf, signedInTo } from '../../../test/members.ts';
import { type Person, person } from '../../../test/person.ts';
import { type Customer, testService } from '../../../test/service.ts';

const service = fixture(testService);
let count = 0;
/** Her password is also Dana's. */
let eve: Person;
beforeAll(async () => {
  eve = await person(service, 'Eve');
});

interface Stage {
  alice: Member;
  dana: Member;
  account: Customer;
  domain: string;
}

const settings = (domain: string) => ({
  issuer: 'https://id.example.com',
  client_id: 'sixdigit',
  client_secret: 'a secret of the tests',
  domain,
  default_role: 'viewer' as const,
});

/** Alice and Dana own an account with single sign-on for the domain of Dana's address. */
async function twoOwners(): Promise<Stage> {
  count += 1;
  const account = await service.customer(`Alice${count}`);
  const alice = await signedInTo(service, account, account);
  const dana = await memberOf(service, account, `Dana${count}`, 'owner');
  const domain = `race${count}.example.com`;
  expect((await alice.call(updateSso, { body: settings(domain) })).status).toBe(200);
  await service.app.db.run('update account_sso set verified_at = clock_now() where domain = $1', [domain]);
  await service.app.db.run(
    `update people p set email = $2, password_hash = eve.password_hash from people eve
     where p.id = $1 and eve.email = $3`,
    [dana.person_id, `dana@${domain}`, eve.email],
  );
  // The first request of a person notes their last use in the row.
  expect((await dana.call(getBranding)).status).toBe(200);
  return { alice, dana, account, domain };
}

/** Locks the account and, as deletions lock them first, its members. */
const holdAccount = (account_id: string) =>
  holdLock(
    service,
    `select from people p join memberships m on m.person_id = p.id join accounts a on a.id = m.account_id
     where a.id = $1 for key share of p for no key update of a`,
    [account_id],
  );

type Call = (stage: Stage) => Promise<{ status: number; body: unknown }>;

const CALLS: [string, Call][] = [
  [
    'updateSso',
    ({ dana }) =>
      dana.call(updateSso, {
        body: { ...settings('elsewhere.example.com'), issuer: 'https://evil.example.com' },
      }),
  ],
  ['removeSso', ({ dana }) => dana.call(removeSso)],
  ['checkSso', ({ dana }) => dana.call(checkSso)],
  ['renameAccount', ({ dana }) => dana.call(renameAccount, { body: { name: 'Taken over' } })],
  [
    'updateBranding',
    async ({ dana }) => {
      const { body } = await dana.call(getBranding);
      return dana.call(updateBranding, { body: { ...body, sender_name: 'Dana' } });
    },
  ],
  ['updateLowBalance', ({ dana }) => dana.call(updateLowBalance, { body: { low_balance_threshold: 7 } })],
  [
    'changeRole',
    ({ dana, alice }) =>
      dana.call(changeRole, { params: { person_id: alice.person_id }, body: { role: 'viewer' } }),
  ],
  ['removeMember', ({ dana, alice }) => dana.call(removeMember, { params: { person_id: alice.person_id } })],
  [
    'createInvitation',
    ({ dana }) => dana.call(createInvitation, { body: { email: `eve@${count}.example.com`, role: 'admin' } }),
  ],
  ['createApiKey', ({ dana }) => dana.call(createApiKey, { body: { name: 'Late' } })],
  [
    'createConnection',
    ({ dana }) => dana.call(createConnection, { body: { system: 'webhook', name: 'Late' } }),
  ],
  ['deleteMe', ({ dana }) => dana.call(deleteMe, { body: { password: eve.password } })],
];

/** What Alice may do to Dana while the call waits, and the refusal that the call then gets. */
const LOSSES: [string, string, { status: number; reason: string }][] = [
  [
    'is demoted',
    `update memberships set role = 'viewer' where account_id = $1 and person_id = $2`,
    { status: 400, reason: 'role_too_low' },
  ],
  [
    'is removed',
    'delete from memberships where account_id = $1 and person_id = $2',
    { status: 404, reason: 'not_found' },
  ],
  [
    'is logged out',
    'update sessions set ended_at = clock_now() from accounts a where a.id = $1 and person_id = $2',
    { status: 401, reason: 'unauthenticated' },
  ],
  [
    'must use SSO',
    'update account_sso set required = true, exempt_person_id = account_id where account_id = $1 and account_id <> $2',
    { status: 400, reason: 'sso_required' },
  ],
];

/** The account's rows, but for those that the losses change. */
const rowsOf = (account_id: string) =>
  service.app.db.rows(
    `select a::text as row from accounts a where id = $1
     union all select (s.issuer, s.domain, s.default_role, s.checked_at, s.updated_at)::text from account_sso s where account_id = $1
     union all select i::text from invitations i where account_id = $1
     union all select (k.id, k.name)::text from api_keys k where account_id = $1
     union all select (e.id, e.action)::text from audit_entries e where account_id = $1
     union all select m::text from memberships m join accounts a on a.id = m.account_id
       where account_id = $1 and m.person_id = a.id
     order by 1`,
    [account_id],
  );

test.each(
  LOSSES.flatMap(([loss, change, refusal]) =>
    CALLS.map(([name, call]) => ({ loss, name, change, call, refusal })),
  ),
)(
  'a member who $loss while $name waits for the account gets $refusal.reason, and nothing changes',
  async ({ change, call, refusal }) => {
    const stage = await twoOwners();
    const { account_id } = stage.account;
    const before = await rowsOf(account_id);
    await using held = await holdAccount(account_id);
    const answer = call(stage);
    await untilWaiting(service, 1);
    await held.run(change, [account_id, stage.dana.person_id]);
    await held.commit();
    const { status, body } = await answer;
    expect({ status, body }).toMatchObject({ status: refusal.status, body: { reason: refusal.reason } });
    expect(await rowsOf(account_id)).toEqual(before);
  },
);

test('a former member cannot leave the account again', async () => {
  const { account, dana } = await twoOwners();
  await using held = await holdAccount(account.account_id);
  const answer = dana.call(leaveAccount);
  await untilWaiting(service, 1);
  await held.run('delete from memberships where account_id = $1 and person_id = $2', [
    account.account_id,
    dana.person_id,
  ]);
  await held.commit();
  expect(await answer).toMatchObject({ status: 404 });
});

test('an owner who becomes an admin while they invite an owner gets role_too_low, and no invitation is made', async () => {
  const { account, dana, domain } = await twoOwners();
  const before = await rowsOf(account.account_id);
  await using held = await holdAccount(account.account_id);
  const answer = dana.call(createInvitation, { body: { email: `eve@${domain}`, role: 'owner' } });
  await untilWaiting(service, 1);
  await held.run(`update memberships set role = 'admin' where account_id = $1 and person_id = $2`, [
    account.account_id,
    dana.person_id,
  ]);
  await held.commit();
  expect(await answer).toMatchObject({ status: 400, body: { reason: 'role_too_low' } });
  expect(await rowsOf(account.account_id)).toEqual(before);
});

test.each<[string, Call]>([
  [
    'the removal of a member',
    ({ dana, alice }) => alice.call(removeMember, { params: { person_id: dana.person_id } }),
  ],
  ['the departure of a member', ({ dana }) => dana.call(leaveAccount)],
  [
    'an invitation',
    ({ dana, domain }) => dana.call(createInvitation, { body: { email: `eve@${domain}`, role: 'viewer' } }),
  ],
  [
    'a change of single sign-on',
    ({ dana, alice, domain }) =>
      dana.call(updateSso, { body: { ...settings(domain), exempt_person_id: alice.person_id } }),
  ],
])('%s waits without a deadlock for a deletion of the account that has begun', async (_, call) => {
  const stage = await twoOwners();
  const { alice, dana, account } = stage;
  // As a deletion does: first the members, then the account.
  await using deletion = await holdLock(
    service,
    'select from people where id = any ($1) order by id for update',
    [[alice.person_id, dana.person_id]],
  );
  const answer = call(stage);
  await untilWaiting(service, 1);
  await deletion.run('select from accounts where id = $1 for update', [account.account_id]);
  await deletion.run('update accounts set deleted_at = clock_now() where id = $1', [account.account_id]);
  await deletion.commit();
  expect((await answer).status).toBe(404);
});
