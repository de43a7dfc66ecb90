import { changeRole, listMembers, removeMember, updateNotices } from '@sixdigit/contract/accounts/members.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { ROLES, type Role } from '@sixdigit/contract/roles.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import {
  expectTooLow,
  type Member,
  member,
  rolesIn,
  signedInTo,
  subjectsTo,
  withoutProof,
} from '../../../test/members.ts';
import { testService } from '../../../test/service.ts';
import {
  notifyAccount,
  notifyMembers,
  notifyOwners,
  notifyService,
} from '../../messaging/notices/notices.ts';

const service = fixture(testService);
let owner: Member;
const named = (role: Role): Promise<Member> => member(service, alice, role);
const at = ({ person_id }: { person_id: string }) => ({ params: { person_id } });

const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  owner = await signedInTo(service, alice, alice);
});

const localPart = (email: string): string => email.split('@')[0] ?? '';
const roleOf = async ({ email }: { email: string }): Promise<Role | undefined> =>
  (await rolesIn(service, alice.account_id))[localPart(email)];

test('the list of members shows each in the order of joining, with role and last use, and the choice of mails in the own row only', async () => {
  const viewer = await named('viewer');
  await service.app.db.run(
    `update memberships set joined_at = clock_now() - interval '1 day' where account_id = $1 and person_id = $2`,
    [alice.account_id, viewer.person_id],
  );
  const { status, body } = await viewer.call(listMembers);
  expect(status).toBe(200);
  expect(body.results.map(({ person_id }) => person_id)).toEqual([viewer.person_id, owner.person_id]);
  const own = body.results.find(({ person_id }) => person_id === viewer.person_id);
  expect(own).toMatchObject({
    email: viewer.email,
    name: '',
    role: 'viewer',
    service_notices: false,
    last_seen_at: expect.any(String),
  });
  const others = body.results.filter(({ person_id }) => person_id !== viewer.person_id);
  expect(others.every((member) => !('service_notices' in member))).toBe(true);
  expect(others).toMatchObject([{ last_seen_at: null }]);
});

describe('changing a role', () => {
  const CHANGES = ROLES.flatMap((by) => ROLES.flatMap((from) => ROLES.map((to) => ({ by, from, to }))));
  const rank = (role: Role): number => ROLES.indexOf(role);

  test('nobody changes a role above their own or gives one, for all 125 combinations of three roles', async () => {
    const wrong: string[] = [];
    const callers = new Map<Role, Member>();
    for (const role of ROLES) callers.set(role, await named(role));
    const subject = await named('viewer');
    for (const { by, from, to } of CHANGES) {
      await service.app.db.run('update memberships set role = $2 where person_id = $1 and account_id = $3', [
        subject.person_id,
        from,
        alice.account_id,
      ]);
      const answer = await callers.get(by)?.call(changeRole, { ...at(subject), body: { role: to } });
      const isAllowed = rank(by) <= rank('admin') && rank(by) <= rank(from) && rank(by) <= rank(to);
      const became = await roleOf(subject);
      if (answer?.status !== (isAllowed ? 200 : 400) || became !== (isAllowed ? to : from))
        wrong.push(`${by} turns ${from} into ${to}: ${answer?.status}, ${became}`);
    }
    expect(wrong).toEqual([]);
  });

  test('a refusal contains the lowest role that may make the change', async () => {
    const [admin, other] = [await named('admin'), await named('owner')];
    expectTooLow(await admin.call(changeRole, { ...at(other), body: { role: 'viewer' } }), 'owner');
    expectTooLow(await admin.call(changeRole, { ...at(admin), body: { role: 'owner' } }), 'owner');
    expectTooLow(await admin.call(removeMember, at(other)), 'owner');
    const developer = await named('developer');
    expectTooLow(await developer.call(changeRole, { ...at(developer), body: { role: 'admin' } }), 'admin');
  });

  test('an owner steps down while another owner remains', async () => {
    const other = await named('owner');
    const { status, body } = await other.call(changeRole, { ...at(other), body: { role: 'support' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ person_id: other.person_id, role: 'support' });
    expectTooLow(await other.call(changeRole, { ...at(other), body: { role: 'owner' } }), 'admin');
  });

  test('a changed role applies to the next request, gets a mail and an entry, and a repetition changes nothing', async () => {
    const somebody = await named('viewer');
    for (let n = 0; n < 2; n += 1)
      expect((await owner.call(changeRole, { ...at(somebody), body: { role: 'admin' } })).status).toBe(200);
    expect((await somebody.call(listMembers)).status).toBe(200);
    expect(await subjectsTo(service, somebody.email)).toEqual([
      'Your role in an account at Sixdigit was changed',
    ]);
    const { results } = (
      await owner.call(listAuditEntries, { query: { group: 'member', search: somebody.email } })
    ).body;
    expect(results).toMatchObject([
      {
        action: 'member.role',
        subject: somebody.email,
        before: { role: 'viewer' },
        after: { role: 'admin' },
        person: { id: owner.person_id },
      },
    ]);
  });

  test('a malformed role or a person who is not a member is refused', async () => {
    const bob = await service.customer('Bob');
    for (const person_id of [bob.account_id, service.app.random.uuid(), 'nobody'])
      expect((await owner.call(changeRole, { params: { person_id }, body: { role: 'viewer' } })).status).toBe(
        404,
      );
    const { status, body } = await owner.call(changeRole, {
      ...at(owner),
      body: { role: 'king' as Role },
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { role: ['Role must be one of: owner, admin, developer, support, viewer.'] },
    });
  });

  test('a change of a role or a removal needs a proof of identity', async () => {
    const somebody = await named('viewer');
    const unproven = await signedInTo(service, alice, alice);
    await withoutProof(service);
    for (const answer of [
      await unproven.call(changeRole, { ...at(somebody), body: { role: 'support' } }),
      await unproven.call(removeMember, at(somebody)),
    ])
      expect(answer.body).toMatchObject({ reason: 'step_up_required' });
    expect(await roleOf(somebody)).toBe('viewer');
    owner = await signedInTo(service, alice, alice);
  });
});

describe('mails about an account', () => {
  const both = (kind: 'money' | 'service') =>
    service.app.db.transaction(async (tx) => {
      if (kind === 'money')
        await notifyAccount(tx, service.app, alice.account_id, { kind: 'accountResumed' });
      else
        await notifyService(tx, service.app, alice.account_id, {
          kind: 'messageDomainMissing',
          domain: 'shop.example.com',
          recordName: '_otp.shop.example.com',
          lapsesAt: null,
          settingsUrl: 'http://sixdigit.test/settings',
        });
    });
  const MONEY = 'Your account is active again';
  const SERVICE = 'Links to shop.example.com are refused';

  test.each<[string, typeof notifyAccount, readonly Role[]]>([
    ['the owners', notifyOwners, ['owner']],
    ['money or security', notifyAccount, ['owner', 'admin']],
    ['the service', notifyService, ['owner', 'admin', 'developer']],
    ['all members', notifyMembers, ROLES],
  ])('by default, mails about %s go to the roles of their audience', async (_, notify, roles) => {
    const members = new Map<Role, Member>();
    for (const role of ROLES) members.set(role, await named(role));
    await service.app.db.transaction((tx) =>
      notify(tx, service.app, alice.account_id, { kind: 'accountResumed' }),
    );
    const got = await Promise.all(
      [...members].map(async ([role, { email }]) =>
        (await subjectsTo(service, email)).includes(MONEY) ? [role] : [],
      ),
    );
    expect(got.flat().toSorted()).toEqual(roles.toSorted());
  });

  test('each member chooses the mails about the service, in one account only', async () => {
    const [admin, viewer] = [await named('admin'), await named('viewer')];
    const choose = (member: Member, service_notices: boolean) =>
      member.call(updateNotices, { body: { service_notices } });
    expect((await choose(admin, false)).body).toEqual({ service_notices: false });
    expect((await choose(viewer, true)).body).toEqual({ service_notices: true });
    await both('money');
    await both('service');
    expect(await subjectsTo(service, admin.email)).toEqual([MONEY]);
    expect(await subjectsTo(service, viewer.email)).toEqual([SERVICE]);
    const elsewhere = await service.call(listMembers, { bearer: admin.bearer });
    expect(elsewhere.body.results).toMatchObject([{ service_notices: true }]);
    const { status } = await viewer.call(updateNotices, { body: { service_notices: 'yes' as never } });
    expect(status).toBe(400);
  });
});

test('the members of an account are unknown to everyone else', async () => {
  const bob = await service.customer('Bob');
  const outsider = await signedInTo(service, alice, bob);
  for (const answer of [
    await outsider.call(listMembers),
    await outsider.call(changeRole, { ...at(owner), body: { role: 'viewer' } }),
    await outsider.call(removeMember, at(owner)),
    await outsider.call(updateNotices, { body: { service_notices: false } }),
    await outsider.call(listApiKeys),
  ])
    expect(answer).toMatchObject({ status: 404, body: { reason: 'not_found' } });
});
