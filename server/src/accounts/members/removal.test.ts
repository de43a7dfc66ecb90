import { changeRole, leaveAccount, listMembers, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { createApiKey, listApiKeys, rotateApiKey } from '@sixdigit/contract/api-keys.ts';
import { exportAuditEntries, listAuditEntries } from '@sixdigit/contract/audit.ts';
import { createConnection, rotateConnection, updateConnection } from '@sixdigit/contract/connections.ts';
import { openLive } from '@sixdigit/contract/live.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AnotherProcess, anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { type Member, member, subjectsTo, teamStage } from '../../../test/members.ts';
import { testService } from '../../../test/service.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';

const service = fixture(testService);
let other: AnotherProcess;
let url: string;
beforeAll(async () => {
  other = await anotherProcess(service);
  url = await other.listen();
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
});

const account = teamStage(service);
const remove = (by: Member, { person_id }: Member) => by.call(removeMember, { params: { person_id } });

/** A response of the second process, over a connection. */
const open = ({ bearer, headers }: Member, route: Route): Promise<Response> =>
  fetch(`${url}${API_BASE}${route.path}`, { headers: { authorization: `Bearer ${bearer}`, ...headers } });

/** Adds entries to the audit log, of which an export needs many parts. */
const addEntries = (account_id: string, count: number) =>
  service.app.db.run(
    `insert into audit_entries (id, account_id, created_at, actor, action, subject)
     select new_uuid(), $1, clock_now(), 'system', 'webhook.disable', repeat('x', 280) from generate_series(1, $2)`,
    [account_id, count],
  );

/** Reads a stream to its end. Returns the number of lines, and whether the server ended it early. */
async function rest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ lines: number; isCut: boolean }> {
  let lines = 0;
  for (;;) {
    const read = await reader.read().catch(() => undefined);
    if (!read) return { lines, isCut: true };
    if (read.done) return { lines, isCut: false };
    lines += read.value.filter((byte) => byte === 10).length;
  }
}

const ENTRIES = 60_000;

test.each(['is removed', 'leaves', 'gets another role'] as const)(
  'a running export of a member who %s ends on every process',
  async (how) => {
    const { customer, owner } = await account();
    const admin = await member(service, customer, 'admin');
    await addEntries(customer.account_id, ENTRIES);
    const response = await open(admin, exportAuditEntries);
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    if (how === 'is removed') expect((await remove(owner, admin)).status).toBe(204);
    if (how === 'leaves') expect((await admin.call(leaveAccount)).status).toBe(204);
    if (how === 'gets another role')
      await service.app.db.run(
        `update memberships set role = 'viewer' where person_id = $1 and account_id = $2`,
        [admin.person_id, customer.account_id],
      );
    await service.clock.advance(2_000);
    const { lines, isCut } = await rest(reader);
    expect(isCut).toBe(true);
    expect(lines).toBeLessThan(ENTRIES);
  },
);

test('a running export of a member who stays is complete while another member leaves', async () => {
  const { customer } = await account();
  const [admin, leaving] = [
    await member(service, customer, 'admin'),
    await member(service, customer, 'developer'),
  ];
  await addEntries(customer.account_id, 20_000);
  const reader = ((await open(admin, exportAuditEntries)).body as ReadableStream<Uint8Array>).getReader();
  await leaving.call(leaveAccount);
  await service.clock.advance(2_000);
  // The header and three sign-ins.
  expect(await rest(reader)).toEqual({ lines: 20_000 + 4, isCut: false });
});

test('a live stream of a removed member ends on every process, and those of other members stay open', async () => {
  const { customer, owner } = await account();
  const [staying, leaving] = [
    await member(service, customer, 'viewer'),
    await member(service, customer, 'viewer'),
  ];
  const ended = new Set<Member>();
  const stop = new AbortController();
  for (const one of [staying, leaving]) {
    const { status, body } = await fetch(`${url}${API_BASE}${openLive.path}`, {
      headers: { authorization: `Bearer ${one.bearer}`, ...one.headers },
      signal: stop.signal,
    });
    expect(status).toBe(200);
    void rest((body as ReadableStream<Uint8Array>).getReader()).then(() => ended.add(one));
  }
  await remove(owner, leaving);
  await vi.waitFor(() => expect(ended.has(leaving)).toBe(true), { timeout: 10_000, interval: 20 });
  expect(ended.has(staying)).toBe(false);
  stop.abort();
});

test('a removed member is unknown to the account on every process at once, and keeps their own account', async () => {
  const { customer, owner } = await account();
  const admin = await member(service, customer, 'admin');
  for (const process of [service, other]) expect((await admin.callOn(process, listMembers)).status).toBe(200);
  expect((await remove(owner, admin)).status).toBe(204);
  for (const process of [service, other])
    for (const route of [listMembers, listApiKeys, listAuditEntries])
      expect(await admin.callOn(process, route)).toMatchObject({
        status: 404,
        body: { error: 'Not found', reason: 'not_found' },
      });
  expect((await service.call(listMembers, { bearer: admin.bearer })).status).toBe(200);
  expect((await remove(owner, admin)).status).toBe(404);
  expect(await subjectsTo(service, admin.email)).toEqual(['You were removed from an account at Sixdigit']);
  const { results } = (await owner.call(listAuditEntries, { query: { group: 'member' } })).body;
  expect(results).toMatchObject([
    {
      action: 'member.remove',
      subject: admin.email,
      before: { role: 'admin' },
      person: { id: owner.person_id },
    },
  ]);
});

test('a member of every role may leave, which is recorded, and a person who removes themselves leaves', async () => {
  const { customer, owner } = await account();
  for (const role of ['owner', 'admin', 'developer', 'support', 'viewer'] as const) {
    const one = await member(service, customer, role);
    expect((await one.call(leaveAccount)).status).toBe(204);
    expect((await one.call(listMembers)).status).toBe(404);
  }
  const admin = await member(service, customer, 'admin');
  expect((await remove(admin, admin)).status).toBe(204);
  const { results } = (await owner.call(listAuditEntries, { query: { group: 'member', page_size: 100 } }))
    .body;
  expect(results.map(({ action }) => action)).toEqual(Array(6).fill('member.leave'));
  expect((await owner.call(listMembers)).body.results).toHaveLength(1);
});

test('mails that wait for a member are not sent once they have left or been demoted, and other mails are', async () => {
  const { customer, owner } = await account();
  const [admin, demoted] = [
    await member(service, customer, 'admin'),
    await member(service, customer, 'admin'),
  ];
  const tell = () =>
    service.app.db.transaction((tx) =>
      notifyAccount(tx, service.app, customer.account_id, { kind: 'accountResumed' }),
    );
  await tell();
  await admin.call(leaveAccount);
  await owner.call(changeRole, { params: { person_id: demoted.person_id }, body: { role: 'developer' } });
  await tell();
  expect(await subjectsTo(service, admin.email)).toEqual([]);
  expect(await subjectsTo(service, demoted.email)).toEqual([
    'Your role in an account at Sixdigit was changed',
  ]);
  expect(await subjectsTo(service, owner.email)).toHaveLength(2);
});

test('the owners learn which secrets a former member knows: of the last rotation, not of an earlier one', async () => {
  const { customer, owner } = await account();
  const developer = await member(service, customer, 'developer');
  const make = async (by: Member, name: string) => (await by.call(createApiKey, { body: { name } })).body.id;
  const connect = async (by: Member, name: string) =>
    (await by.call(createConnection, { body: { system: 'logto', name } })).body.id;
  const [rotated, returned] = [await make(owner, 'Rotated'), await make(developer, 'Returned')];
  const [renewed, entered, given] = [
    await connect(owner, 'Renewed'),
    await connect(owner, 'Entered'),
    await connect(developer, 'Given back'),
  ];
  const rotate = (by: Member, id: string) =>
    by.call(rotateApiKey, { params: { id }, body: { valid_days: 0 } });
  const body = { secret: 'a secret of the system'.replaceAll(' ', '-') };
  const answers = [
    await rotate(developer, rotated),
    await rotate(owner, returned),
    await developer.call(rotateConnection, { params: { id: renewed }, body: {} }),
    await developer.call(updateConnection, { params: { id: entered }, body }),
    await owner.call(rotateConnection, { params: { id: given }, body: {} }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await remove(owner, developer);
  await service.deliver();
  const [mail] = await service.inbox(owner.email);
  expect(mail?.text).toContain('made or rotated last: “Rotated”, “Renewed”, “Entered”.');
});

test('a member who is removed during a rotation gets no secret', async () => {
  const { customer, owner } = await account();
  const { id } = (await owner.call(createApiKey, { body: { name: 'Checkout' } })).body;
  const made = await owner.call(createConnection, { body: { system: 'logto', name: 'Sign-in' } });
  const rotations = [
    (by: Member) => by.call(rotateApiKey, { params: { id }, body: { valid_days: 0 } }),
    (by: Member) => by.call(rotateConnection, { params: { id: made.body.id }, body: {} }),
  ];
  for (const rotate of rotations) {
    const developer = await member(service, customer, 'developer');
    const { account_id } = customer;
    await using removal = await holdLock(service, 'select from accounts where id = $1 for update', [
      account_id,
    ]);
    const answer = rotate(developer);
    await untilBlocked(service, '');
    await removal.run('delete from memberships where person_id = $1', [developer.person_id]);
    await removal.commit();
    expect(await answer).toMatchObject({ status: 404, body: { reason: 'not_found' } });
  }
});

test('the keys of a former member stay, are marked, and the owners get a mail that lists the live ones', async () => {
  const { customer, owner } = await account();
  const [secondOwner, admin, developer] = [
    await member(service, customer, 'owner'),
    await member(service, customer, 'admin'),
    await member(service, customer, 'developer'),
  ];
  const create = (name: string, more: object = {}) =>
    developer.call(createApiKey, { body: { name, ...more } });
  const { key } = (await create('Checkout')).body;
  await create('Sandbox', { mode: 'test' });
  await developer.call(createConnection, { body: { system: 'logto', name: 'Sign-in' } });
  await owner.call(createApiKey, { body: { name: 'Not theirs' } });
  await service.deliver();
  await remove(owner, developer);

  const SUBJECT = 'Rotate the live API keys of a former member';
  for (const { email } of [owner, secondOwner]) {
    expect((await subjectsTo(service, email))[0]).toBe(SUBJECT);
    const [mail] = await service.inbox(email);
    expect(mail?.text).toContain(`${developer.email} is no longer a member`);
    expect(mail?.text).toContain('that they made or rotated last: “Checkout”, “Sign-in”.');
    expect(mail?.text).not.toContain('Not theirs');
  }
  expect(await subjectsTo(service, admin.email)).not.toContain(SUBJECT);

  const { results } = (await owner.call(listApiKeys)).body;
  expect(results.find(({ name }) => name === 'Checkout')?.created_by).toEqual({
    id: developer.person_id,
    email: developer.email,
    is_member: false,
  });
  const sent = await service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'email', recipient: 'customer@example.com' },
  });
  expect(sent.status).toBe(201);
});
