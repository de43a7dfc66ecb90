import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  checkDestination,
  deleteKnownRecipients,
  getKnownRecipients,
  importKnownRecipients,
  removeKnownRecipient,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../test/held-lock.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { deposit } from '../credits/credits.ts';
import { eraseLeftBehind } from '../deletion/delete-account.ts';
import { eraseRecipient } from '../deletion/deletion.ts';
import { retentionJobs } from '../operations/retention/retention.ts';
import { recipientHash } from '../protection/protection.ts';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const DAY = 86_400_000;
let count = 0;
const phone = () => `+1415555${3000 + ++count}`;

const owner = async (scopes: 'recipients:write'[] = []): Promise<Sender & { bearer: string }> => {
  const made = await sender(service, `Known${++count}`, { scopes });
  return { ...made, bearer: await signedIn(service, made) };
};
const verified = async (alice: Sender, recipient: string) => {
  const otp_id = await alice.sent(recipient);
  await service.drain();
  expect((await alice.verify(otp_id, await alice.code(recipient))).status).toBe(200);
};
const isKnown = async (alice: Sender, recipient: string) =>
  (await service.call(checkDestination, { apiKey: alice.key(), body: { recipient } })).body.known;
const rowsOf = (recipient: string) =>
  service.app.db.rows<{ account_id: string; known: string | null; is_imported: boolean }>(
    'select account_id, is_imported from known_recipients where hash = $1',
    [recipientHash(service.app, recipient)],
  );
const imports = (alice: { bearer: string }, recipients: unknown[]) =>
  service.call(importKnownRecipients, { bearer: alice.bearer, body: { recipients } });
const set = async (alice: { bearer: string }, body: object) =>
  expect((await service.call(updateProtection, { bearer: alice.bearer, body })).status).toBe(200);
/** The account refuses a second unknown number of a prefix. */
const STRICT = { rules: { prefix_velocity: { mode: 'enforce', limit: 5 } } };

test('a verified number passes while others exhaust its prefix, and no number of another account does', async () => {
  const [alice, bob] = [await owner(), await owner()];
  const [mine, other] = [phone(), phone()];
  await verified(alice, mine);
  expect([await isKnown(alice, mine), await isKnown(alice, other), await isKnown(bob, mine)]).toEqual([
    true,
    false,
    false,
  ]);
  for (const one of [alice, bob]) {
    await set(one, STRICT);
    for (let n = 0; n < 5; n++) await one.send(phone());
  }
  expect([
    (await alice.send(other)).status,
    (await alice.send(mine)).status,
    (await bob.send(mine)).status,
  ]).toEqual([400, 201, 400]);
  const { body } = await service.call(checkDestination, { apiKey: alice.key(), body: { recipient: mine } });
  expect(body).toMatchObject({ decision: 'allowed', known: true, passed: ['prefix_velocity'] });
});

test('wrong codes, test codes and own codes make no recipient known', async () => {
  const alice = await owner();
  const [wrong, own] = [phone(), phone()];
  await alice.verify(await alice.sent(wrong), '000001');
  await service.app.db.run(`update api_keys set scopes = scopes || '{otp:own_code}' where account_id = $1`, [
    alice.account_id,
  ]);
  await alice.sent(own, { code: '271828' });
  expect([await isKnown(alice, wrong), await isKnown(alice, own), await rowsOf(own)]).toEqual([
    false,
    false,
    [],
  ]);
});

test('an account that knows recipients for 0 days records none and lets none pass', async () => {
  const alice = await owner();
  const mine = phone();
  await set(alice, { known_days: 0 });
  await verified(alice, mine);
  expect(await rowsOf(mine)).toEqual([]);
  expect((await imports(alice, [{ recipient: mine }])).body).toMatchObject({
    recipients: [expect.any(String)],
  });
});

test('an import skips bad rows with their errors, and counts duplicates once', async () => {
  const alice = await owner(['recipients:write']);
  const now = service.app.clock.now().getTime();
  const mine = phone();
  const rows = [
    { recipient: mine, verified_at: new Date(now - 3 * DAY).toISOString() },
    { recipient: mine.replace('+1415', '+1 (415) '), verified_at: String(now - DAY) },
    { recipient: mine, verified_at: now - 2 * DAY },
    { recipient: 'Pat@Example.com' },
    { recipient: phone(), verified_at: new Date(now + DAY).toISOString() },
    { recipient: phone(), verified_at: '31/12/2026' },
    { recipient: phone(), verified_at: new Date(now - 200 * DAY).toISOString() },
    { recipient: 'Zo\ufffd@example.com' },
    { recipient: '\ud800' },
    { recipient: 4_155_552_671 },
    { recipient: 'x'.repeat(10_000) },
    {},
    null,
    'text',
  ];
  const { status, body } = await service.call(importKnownRecipients, {
    apiKey: alice.key(),
    body: { recipients: rows },
  });
  expect([status, body.imported, body.errors.map(({ row }) => row)]).toEqual([
    200,
    2,
    [5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
  ]);
  expect(body.errors.slice(0, 3).map(({ error }) => error)).toEqual([
    'verified_at is in the future.',
    'verified_at must be a time in ISO 8601 or milliseconds since 1970.',
    'verified_at is more than 180 days ago.',
  ]);
  const listed = (await service.call(getKnownRecipients, { bearer: alice.bearer })).body;
  const day = (ago: number) => new Date(now - ago * DAY).toISOString().slice(0, 10);
  expect(listed).toEqual({
    known_days: 180,
    count: 2,
    days: [0, 1].map((ago) => ({ day: day(ago), count: 1 })),
  });
  expect(await isKnown(alice, mine)).toBe(true);
});

test('imports and right codes of one recipient add up: the latest day, the first code, and both facts', async () => {
  const alice = await owner();
  const mine = phone();
  const now = service.app.clock.now().getTime();
  const importedAgo = (days: number) =>
    imports(alice, [{ recipient: mine, verified_at: new Date(now - days * DAY).toISOString() }]);
  const row = () =>
    service.app.db.one<{ ago: number; verified_ago: number | null; is_imported: boolean }>(
      `select (clock_now() at time zone 'UTC')::date - known_on as ago, is_imported,
         round(extract(epoch from clock_now() - verified_since) / 86400)::integer as verified_ago
       from known_recipients where hash = $1`,
      [recipientHash(service.app, mine)],
    );
  await importedAgo(0);
  await verified(alice, mine);
  expect(await row()).toEqual({ ago: 0, verified_ago: 0, is_imported: true });
  await service.app.db.run(
    `update known_recipients set known_on = known_on - 2, verified_since = verified_since - interval '2 days',
       is_imported = false where hash = $1`,
    [recipientHash(service.app, mine)],
  );
  await importedAgo(3);
  expect(await row()).toEqual({ ago: 2, verified_ago: 2, is_imported: true });
  await verified(alice, mine);
  expect(await row()).toEqual({ ago: 0, verified_ago: 2, is_imported: true });
});

test('a key without the scope, or a test key with it, cannot change known recipients', async () => {
  const alice = await owner();
  const tested = await owner(['recipients:write']);
  await service.app.db.run(`update api_keys set mode = 'test' where account_id = $1`, [tested.account_id]);
  const body = { recipients: [{ recipient: phone() }] };
  const calls = (apiKey: string) => [
    service.call(importKnownRecipients, { apiKey, body }),
    service.call(removeKnownRecipient, { apiKey, body: { recipient: phone() } }),
    service.call(deleteKnownRecipients, { apiKey }),
  ];
  const answers = [
    service.call(getKnownRecipients, { apiKey: alice.key() }),
    ...calls(alice.key()),
    ...calls(tested.key()),
  ];
  for (const { status, body: refused } of await Promise.all(answers))
    expect([status, (refused as { reason?: string }).reason]).toEqual([401, 'missing_scope']);
});

test('a thousand rows of an import fit, and one more is refused', async () => {
  const alice = await owner();
  const rows = Array.from({ length: 1_000 }, (_, n) => ({
    recipient: `somebody.with.a.long.address.${n}@subdomain.example.com`,
    verified_at: '2026-11-20T10:00:00.000+00:00',
  }));
  const now = service.app.clock.now().toISOString();
  const dated = rows.map((row) => ({ ...row, verified_at: now }));
  expect((await imports(alice, dated)).body).toEqual({ imported: 1_000, errors: [] });
  expect((await imports(alice, [...dated, {}])).status).toBe(400);
});

test('one known recipient is removed, and then all of the account, with audit entries', async () => {
  const [alice, bob] = [await owner(), await owner()];
  const [one, other] = [phone(), phone()];
  for (const each of [alice, bob]) await imports(each, [{ recipient: one }, { recipient: other }]);
  const remove = () => service.call(removeKnownRecipient, { bearer: alice.bearer, body: { recipient: one } });
  expect([(await remove()).body, (await remove()).body]).toEqual([{ removed: true }, { removed: false }]);
  const deleted = await service.call(deleteKnownRecipients, { bearer: alice.bearer });
  expect(deleted.body).toEqual({ deleted: 1, is_complete: true });
  expect([await isKnown(alice, other), await isKnown(bob, one), await isKnown(bob, other)]).toEqual([
    false,
    true,
    true,
  ]);
  const { body } = await service.call(listAuditEntries, {
    bearer: alice.bearer,
    query: { group: 'protection' },
  });
  const masked = expect.stringMatching(/^\+1415••••\d\d$/);
  expect(
    body.results.map(({ action, subject, before, after }) => [action, subject, before ?? after]),
  ).toEqual([
    ['known.delete', '', { recipients: 1 }],
    ['known.remove', masked, null],
    ['known.import', '', { recipients: 2 }],
  ]);
});

test('an erased recipient is known to no account, even if its code is verified meanwhile', async () => {
  const [alice, bob] = [await owner(), await owner()];
  const mine = phone();
  await verified(bob, mine);
  const otp_id = await alice.sent(mine);
  await service.drain();
  const code = await alice.code(mine);
  await using held = await holdLock(service, 'select pg_advisory_xact_lock(hashtextextended($1, 6))', [
    `${alice.account_id}${mine}`,
  ]);
  const verifying = alice.verify(otp_id, code);
  await untilWaiting(service, 1);
  const erasing = eraseRecipient(service.app, mine);
  await untilWaiting(service, 2);
  await held.commit();
  await verifying;
  expect(await erasing).toMatchObject({ known_recipients: 2 });
  expect(await rowsOf(mine)).toEqual([]);
});

test('a known recipient outlives its verification, until its days have passed or the account is deleted', async () => {
  const [alice, bob, carol] = [await owner(), await owner(), await owner()];
  const mine = phone();
  for (const one of [alice, bob, carol]) await verified(one, mine);
  await set(bob, { known_days: 30 });
  await set(alice, { known_days: 31 });
  await service.app.db.run('update known_recipients set known_on = known_on - 31 where hash = $1', [
    recipientHash(service.app, mine),
  ]);
  await service.app.db.run('delete from verifications where account_id = $1', [alice.account_id]);
  const [retention] = retentionJobs(service.app);
  await retention?.run({ signal: new AbortController().signal } as never);
  const owners = async () => new Set((await rowsOf(mine)).map(({ account_id }) => account_id));
  expect(await owners()).toEqual(new Set([alice.account_id, carol.account_id]));
  await service.app.db.run(`update accounts set deleted_at = clock_now() - interval '1 hour' where id = $1`, [
    carol.account_id,
  ]);
  while (await eraseLeftBehind(service.app));
  expect(await owners()).toEqual(new Set([alice.account_id]));
});

test('an account imports at most 10,000 recipients until it has bought credits, also over two processes at once', async () => {
  const alice = await owner();
  const { db, random } = service.app;
  await db.run(
    `insert into known_recipients (account_id, hash, known_on, is_imported)
     select $1, int8send(n) || int8send(n), (clock_now() at time zone 'UTC')::date, true from generate_series(1, 9999) n`,
    [alice.account_id],
  );
  const importOn = async (on: Pick<typeof service, 'call'>, recipient: string) =>
    (await on.call(importKnownRecipients, { bearer: alice.bearer, body: { recipients: [{ recipient }] } }))
      .body;
  const replies = await Promise.all([service, other].map((on) => importOn(on, phone())));
  const refused = {
    recipients: [
      'Until it has bought credits or got some from an operator, an account imports at most 10,000 recipients.',
    ],
  };
  expect(replies).toEqual(
    expect.arrayContaining([{ imported: 1, errors: [] }, expect.objectContaining(refused)]),
  );
  const counted = 'select count(*)::integer as n from known_recipients where account_id = $1';
  expect(await db.one(counted, [alice.account_id])).toEqual({ n: 10_000 });
  await db.transaction((tx) =>
    deposit(tx, {
      ...{
        account_id: alice.account_id,
        id: random.uuid(),
        kind: 'purchase',
        reference: `known:${alice.account_id}`,
      },
      ...{ credits: 10, description: 'Bought' },
    }),
  );
  expect(await importOn(service, phone())).toEqual({ imported: 1, errors: [] });
});
