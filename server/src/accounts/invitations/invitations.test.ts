import {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { changeRole, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { ROLES, type Role } from '@sixdigit/contract/roles.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { startSmtp } from '../../../test/fakes/smtp.ts';
import { fixture } from '../../../test/fixture.ts';
import {
  expectTooLow,
  invitationTokenFor,
  type Member,
  member,
  signedInTo,
  subjectsTo,
  teamStage,
  withoutProof,
} from '../../../test/members.ts';
import { type Customer, testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const service = fixture(testService);

const account = teamStage(service);

const invite = (by: Member, email: string, role: Role = 'viewer') =>
  by.call(createInvitation, { body: { email, role } });
const show = (token: string) => service.call(showInvitation, { body: { token } });
const openOf = async (by: Member) => (await by.call(listInvitations)).body.results.map(({ email }) => email);

test('an invitation is listed, emailed with a link, recorded, and shown only to the holder of the link', async () => {
  const { owner } = await account();
  const made = await invite(owner, ' Dana@Example.com ', 'developer');
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    id: expect.any(String),
    email: 'dana@example.com',
    role: 'developer',
    invited_by: owner.email,
    expires_at: expect.any(String),
  });
  expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(7 * DAY);
  expect((await owner.call(listInvitations)).body.results).toEqual([made.body]);

  const token = await invitationTokenFor(service, 'dana@example.com');
  const [mail] = await service.inbox('dana@example.com');
  expect(mail?.subject).toBe('Invitation to an account at Sixdigit');
  expect(mail?.text).toContain(`${owner.email} invites you`);
  expect(mail?.text).toContain(`http://sixdigit.test/invitations#${token}`);
  expect(await show(token)).toMatchObject({
    status: 200,
    body: {
      account_name: '',
      email: 'dana@example.com',
      role: 'developer',
      invited_by: owner.email,
    },
  });
  // As in the mail, no other name is shown than one that reads neither as an address nor as a phone number.
  for (const [name, shown] of [
    ['Acme', 'Acme'],
    ['pay-now.example', ''],
    ['Call 1-415-555', ''],
  ]) {
    await service.app.db.run(
      `update accounts set name = $1 where id = (select account_id from invitations where email = 'dana@example.com')`,
      [name],
    );
    expect((await show(token)).body).toMatchObject({ account_name: shown });
  }
  expect((await show(`${token.slice(0, -1)}_`)).status).toBe(404);
  const stored = await service.app.db.one<{ row: string }>(
    'select i::text as row from invitations i where id = $1',
    [made.body.id],
  );
  expect(stored.row).not.toContain(token);
  expect(stored.row).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  const { results } = (await owner.call(listAuditEntries, { query: { group: 'member' } })).body;
  expect(results).toMatchObject([
    { action: 'member.invite', subject: 'dana@example.com', after: { role: 'developer' } },
  ]);
});

test('nobody can give a role above their own in an invitation, and only owners and admins can invite', async () => {
  const { customer } = await account();
  const admin = await member(service, customer, 'admin');
  expectTooLow(await invite(admin, 'king@example.com', 'owner'), 'owner');
  for (const role of ['developer', 'support', 'viewer'] as const) {
    const low = await member(service, customer, role);
    expectTooLow(await invite(low, 'friend@example.com', 'viewer'), 'admin');
    expectTooLow(await low.call(listInvitations), 'admin');
  }
  expect((await invite(admin, 'peer@example.com', 'admin')).status).toBe(201);
  expect(await openOf(admin)).toEqual(['peer@example.com']);
});

test('an admin can neither resend nor revoke an invitation of an owner', async () => {
  const { customer, owner } = await account();
  const admin = await member(service, customer, 'admin');
  const { id } = (await invite(owner, 'second.owner@example.com', 'owner')).body;
  expectTooLow(await admin.call(resendInvitation, { params: { id } }), 'owner');
  expectTooLow(await admin.call(revokeInvitation, { params: { id } }), 'owner');
  expect(await openOf(admin)).toEqual(['second.owner@example.com']);
});

test('an invitation and its resending need a proof of identity, whatever the role', async () => {
  const { owner } = await account();
  const { id } = (await invite(owner, 'worker@example.com', 'developer')).body;
  await withoutProof(service);
  const refused = { status: 400, body: { reason: 'step_up_required' } };
  for (const role of ROLES) expect(await invite(owner, `${role}@example.com`, role)).toMatchObject(refused);
  expect(await owner.call(resendInvitation, { params: { id } })).toMatchObject(refused);
  expect(await openOf(owner)).toEqual(['worker@example.com']);
});

describe('an address that cannot be invited', () => {
  let owner: Member;
  let customer: Customer;
  beforeAll(async () => {
    ({ owner, customer } = await account());
  });

  test('a malformed address or role, and a missing one, get a sentence for the field', async () => {
    for (const email of ['nobody', 'a@b', '', 'a@example.com, b@example.com', 'a\n@example.com']) {
      const { status, body } = await invite(owner, email);
      expect({ email, status, sentences: body.email }).toEqual({
        email,
        status: 400,
        sentences: [expect.any(String)],
      });
    }
    const body = { email: 'king@example.com', role: 'king' };
    expect(await owner.call(createInvitation, { body })).toMatchObject({
      status: 400,
      body: { role: ['Role must be one of: owner, admin, developer, support, viewer.'] },
    });
    expect(await openOf(owner)).toEqual([]);
  });

  test('a member or an invited address is refused with a sentence, and no mail is sent or counted', async () => {
    const colleague = await member(service, customer, 'support');
    expect((await invite(owner, 'invited@example.com')).status).toBe(201);
    await service.deliver();
    for (let n = 0; n < 60; n += 1) {
      expect(await invite(owner, 'INVITED@example.com', 'admin')).toMatchObject({
        status: 400,
        body: { email: ['This address has already been invited.'] },
      });
      expect(await invite(owner, colleague.email)).toMatchObject({
        status: 400,
        body: { email: ['This address already belongs to a member.'] },
      });
    }
    expect(await openOf(owner)).toEqual(['invited@example.com']);
    expect((await owner.call(listInvitations)).body.results).toMatchObject([{ role: 'viewer' }]);
    expect(await subjectsTo(service, 'invited@example.com')).toHaveLength(1);
    expect(await subjectsTo(service, colleague.email)).toEqual([]);
  });
});

test('an invitation does not reveal whether its address belongs to a person', async () => {
  const { owner } = await account();
  const known = await service.customer('Known');
  const [one, two] = [await invite(owner, known.email), await invite(owner, 'unknown@example.com')];
  const shape = ({ status, body }: typeof one) => ({
    status,
    body: { ...body, id: '', email: '', created_at: '', expires_at: '' },
  });
  expect(shape(one)).toEqual(shape(two));
  const tokens = [
    await invitationTokenFor(service, known.email),
    await invitationTokenFor(service, 'unknown@example.com'),
  ];
  const texts = await Promise.all(
    [known.email, 'unknown@example.com'].map(async (email, n) =>
      (await service.inbox(email))[0]?.text.replaceAll(tokens[n] ?? '', ''),
    ),
  );
  expect(texts[0]).toBe(texts[1]);
  const shown = await Promise.all(tokens.map(async (token) => Object.keys((await show(token)).body)));
  expect(shown[0]).toEqual(shown[1]);
});

test('resending an invitation ends the earlier link, starts the seven days again, and is recorded', async () => {
  const { owner } = await account();
  const { id, expires_at } = (await invite(owner, 'again@example.com')).body;
  const first = await invitationTokenFor(service, 'again@example.com');
  await service.clock.advance(DAY);
  owner.bearer = (
    await signedInTo(
      service,
      { account_id: owner.headers['x-account'] ?? '' },
      {
        account_id: owner.person_id,
        email: owner.email,
      },
    )
  ).bearer;
  const { status, body } = await service.call(resendInvitation, {
    bearer: owner.bearer,
    headers: owner.headers,
    params: { id },
  });
  expect(status).toBe(200);
  expect(Date.parse(body.expires_at) - Date.parse(expires_at)).toBeGreaterThanOrEqual(DAY);
  const second = await invitationTokenFor(service, 'again@example.com');
  expect(second).not.toBe(first);
  expect((await show(first)).status).toBe(404);
  expect((await show(second)).status).toBe(200);
});

test('a revoked or expired invitation no longer works, and its address can be invited again', async () => {
  const { customer, owner } = await account();
  const { id } = (await invite(owner, 'revoked@example.com')).body;
  await invite(owner, 'expired@example.com');
  const tokens = [
    await invitationTokenFor(service, 'revoked@example.com'),
    await invitationTokenFor(service, 'expired@example.com'),
  ];
  expect((await owner.call(revokeInvitation, { params: { id } })).status).toBe(204);
  expect((await owner.call(revokeInvitation, { params: { id } })).status).toBe(404);
  expect((await owner.call(resendInvitation, { params: { id } })).status).toBe(404);
  await service.clock.advance(7 * DAY);
  const later = await signedInTo(service, customer, customer);
  expect(await openOf(later)).toEqual([]);
  for (const token of tokens) expect((await show(token)).status).toBe(404);
  expect((await invite(later, 'expired@example.com')).status).toBe(201);
  expect((await show(await invitationTokenFor(service, 'expired@example.com'))).status).toBe(200);
  expect((await invite(later, 'revoked@example.com')).status).toBe(201);
  expect(await openOf(later)).toEqual(['revoked@example.com', 'expired@example.com']);
});

test("another account's invitation is unknown", async () => {
  const [{ owner: alice }, { owner: bob }] = [await account(), await account()];
  const { id } = (await invite(alice, 'private@example.com')).body;
  for (const one of [id, service.app.random.uuid(), 'none'])
    for (const route of [resendInvitation, revokeInvitation])
      expect((await bob.call(route, { params: { id: one } })).status).toBe(404);
  expect(await openOf(alice)).toEqual(['private@example.com']);
});

test('the invitations of a removed or demoted member are revoked unless they could still make them', async () => {
  const { customer, owner } = await account();
  const [removed, demoted] = [
    await member(service, customer, 'admin'),
    await member(service, customer, 'owner'),
  ];
  await invite(removed, 'accomplice@example.com', 'admin');
  await invite(demoted, 'heir@example.com', 'owner');
  await invite(demoted, 'worker@example.com', 'developer');
  await owner.call(removeMember, { params: { person_id: removed.person_id } });
  await owner.call(changeRole, { params: { person_id: demoted.person_id }, body: { role: 'admin' } });
  expect(await openOf(owner)).toEqual(['worker@example.com']);
  await owner.call(changeRole, { params: { person_id: demoted.person_id }, body: { role: 'support' } });
  expect(await openOf(owner)).toEqual([]);
});

test('a suspended account sends no invitations', async () => {
  const { customer, owner } = await account();
  const { id } = (await invite(owner, 'before@example.com')).body;
  await service.app.db.run('update accounts set suspended_at = clock_now() where id = $1', [
    customer.account_id,
  ]);
  for (const answer of [
    await invite(owner, 'after@example.com'),
    await owner.call(resendInvitation, { params: { id } }),
  ])
    expect(answer.body).toMatchObject({ reason: 'account_suspended' });
  expect(await openOf(owner)).toEqual(['before@example.com']);
});

describe('the link in responses', () => {
  test('a sandbox without mail shows the link to callers who may read its inbox', async () => {
    await using open = await testService({ env: { SANDBOX_INBOX: 'public' } });
    const customer = await open.customer('Alice');
    const owner = await signedInTo(open, customer, customer);
    const { body } = await invite(owner, 'dana@example.com');
    expect(body).not.toHaveProperty('link');
    const linkIn = async (query: object) =>
      (await owner.call(listInvitations, { query })).body.results[0]?.link;
    const token = await invitationTokenFor(open, 'dana@example.com');
    expect(await linkIn({ links: 'true' })).toBe(`http://sixdigit.test/invitations#${token}`);
    expect(await linkIn({})).toBeUndefined();
    const again = await owner.call(resendInvitation, { params: { id: body.id } });
    expect(again.body).not.toHaveProperty('link');
    expect(await linkIn({ links: 'true' })).toBe(
      `http://sixdigit.test/invitations#${await invitationTokenFor(open, 'dana@example.com')}`,
    );
  });

  test('a deployment that sends email never shows the link of an invitation', async () => {
    const smtp = await startSmtp();
    try {
      await using mailing = await testService({
        env: { SANDBOX_INBOX: 'public', SMTP_URL: smtp.url, EMAIL_FROM: 'codes@otp.example.com' },
      });
      const customer = await mailing.customer('Alice');
      const owner = await signedInTo(mailing, customer, customer);
      await invite(owner, 'dana@example.com');
      const { results } = (await owner.call(listInvitations, { query: { links: 'true' } })).body;
      expect(results).toHaveLength(1);
      expect(results[0]).not.toHaveProperty('link');
    } finally {
      await smtp.close();
    }
  });

  test('a public sandbox with a closed inbox does not show the link of an invitation to members', async () => {
    const { owner } = await account();
    await invite(owner, 'afar@example.com');
    const list = async (more: Record<string, string>) =>
      (
        await owner.call(listInvitations, {
          query: { links: 'true' },
          headers: { ...owner.headers, ...more },
        })
      ).body.results[0];
    expect(await list({})).toHaveProperty('link');
    expect(await list({ 'x-forwarded-for': '203.0.113.7' })).not.toHaveProperty('link');
  });
});

test('an invitation is refused while no carrier sends mail', async () => {
  await using silent = await testService({ env: { SANDBOX: 'false' } });
  const customer = await silent.customer('Alice');
  const owner = await signedInTo(silent, customer, customer);
  const { status, body } = await invite(owner, 'dana@example.com');
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { email: ['This service cannot send email yet. Its operator must set up a carrier first.'] },
  });
});

test('expired invitations are deleted', async () => {
  const { owner } = await account();
  const { id } = (await invite(owner, 'old@example.com')).body;
  const rows = () => service.app.db.rows('select from invitations where id = $1', [id]);
  await service.drain({ keepHouse: true });
  expect(await rows()).toHaveLength(1);
  await service.clock.advance(7 * DAY);
  await service.drain({ keepHouse: true });
  expect(await rows()).toHaveLength(0);
});
