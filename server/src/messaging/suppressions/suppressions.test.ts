import { checkDestination } from '@sixdigit/contract/protection/protection.ts';
import { getRecipient } from '@sixdigit/contract/recipients.ts';
import {
  createSuppression,
  deleteSuppression,
  exportSuppressions,
  listSuppressions,
  SUPPRESSIONS_MOST,
} from '@sixdigit/contract/suppressions.ts';
import { beforeEach, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { eraseRecipient } from '../../deletion/deletion.ts';
import { report } from '../../otp/reports/reports.ts';
import type { MailEvent } from '../carriers/carriers.ts';

const service = fixture(() => testService());
const alice = fixture(() =>
  sender(service, 'Alice', { credits: 500, keys: 20, scopes: ['recipients:write'] }),
);
const bob = fixture(() => sender(service, 'Bob'));
const carol = fixture(() => sender(service, 'Carol'));
let count = 0;
const address = () => `nora.${++count}@example.com`;
beforeEach(() => service.clock.advance(1_000));
const DAY_MS = 86_400_000;

async function mailed(recipient: string, by: Sender = alice): Promise<string> {
  const otp_id = await by.sent(recipient);
  await service.drain();
  return otp_id;
}

const STATE: Record<MailEvent, 'delivered' | 'undelivered' | 'sent'> = {
  delayed: 'sent',
  hard_bounce: 'undelivered',
  soft_bounce: 'undelivered',
  blocked: 'undelivered',
  complaint: 'delivered',
  suppressed: 'undelivered',
};
const reported = (
  otp_id: string,
  mail: MailEvent | 'delivered',
  by: Sender = alice,
  detail = '550 5.1.1 no',
) =>
  report(service.app, {
    carrier: 'sandbox',
    account_id: by.account_id,
    otp_id,
    provider_message_id: null,
    reason: null,
    ...(mail === 'delivered' ? { state: 'delivered' } : { state: STATE[mail], mail, detail }),
  });
const happened = async (recipient: string, mail: MailEvent | 'delivered', by: Sender = alice) => {
  const otp_id = await mailed(recipient, by);
  expect(await reported(otp_id, mail, by)).toBe(true);
  return otp_id;
};
const listed = async (query: { search?: string; reason?: 'manual' } = {}) =>
  (await service.call(listSuppressions, { apiKey: alice.key(), query })).body;

test.each([
  ['hard_bounce', 'hard_bounce'],
  ['complaint', 'complaint'],
  ['suppressed', 'provider'],
] as const)('after the event %s, a send is refused at no cost and says since when', async (event, reason) => {
  const recipient = address();
  const earlier = await mailed(recipient);
  const otp_id = await happened(recipient, event);
  // A delivery ends only a row of soft bounces.
  await reported(earlier, 'delivered');
  const before = await alice.balance();
  const { status, body } = await alice.send(recipient);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    reason: 'recipient_suppressed',
    suppressed_for: reason,
    suppressed_since: expect.stringMatching(/^2026-/),
  });
  expect(await alice.balance()).toBe(before);
  expect((await listed({ search: recipient })).results).toEqual([
    expect.objectContaining({ reason, otp_id, carrier: 'sandbox', detail: '550 5.1.1 no', until: null }),
  ]);
});

test('three soft bounces in a row suppress an address for a day, and a delivery starts the count anew', async () => {
  const recipient = address();
  for (const event of ['soft_bounce', 'soft_bounce', 'delivered', 'soft_bounce', 'soft_bounce'] as const) {
    await happened(recipient, event);
    await service.clock.advance(600_000);
    await service.drain({ keepHouse: true });
  }
  const last = await mailed(recipient);
  // The same bounce reported twice counts once.
  await reported(last, 'soft_bounce');
  await reported(last, 'soft_bounce');
  expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'soft_bounces' });
  await service.clock.advance(DAY_MS);
  await happened(recipient, 'soft_bounce');
  expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'soft_bounces' });
  const added = await service.call(createSuppression, { apiKey: alice.key(), body: { recipient } });
  const source = { carrier: null, otp_id: null, detail: null };
  expect(added.body).toMatchObject({ reason: 'manual', until: null, ...source });
});

test('a repeated report of one soft bounce counts once', async () => {
  const recipient = address();
  const otp_id = await happened(recipient, 'soft_bounce');
  for (let n = 0; n < 5; n += 1) await reported(otp_id, 'soft_bounce');
  expect((await alice.send(recipient)).status).toBe(201);
  expect((await listed({ search: recipient })).count).toBe(0);
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getRecipient, { bearer, query: { recipient } });
  expect(body.suppression).toBeNull();
});

test('a blocked or delayed message suppresses nothing', async () => {
  const recipient = address();
  for (const event of ['blocked', 'delayed'] as const) await happened(recipient, event);
  expect((await alice.send(recipient)).status).toBe(201);
});

test('a bounce at one account stops only its own sends, and bounces at two stop those of all for 30 days', async () => {
  const recipient = address();
  await happened(recipient, 'hard_bounce', bob);
  expect((await alice.send(recipient)).status).toBe(201);
  const other = await mailed(recipient, carol);
  await service.clock.advance(60_000);
  const second = service.app.clock.now().getTime();
  await reported(other, 'hard_bounce', carol);
  const { body } = await alice.send(recipient);
  expect(body).toMatchObject({ suppressed_for: 'hard_bounce' });
  const { suppressed_since = '' } = body as { suppressed_since?: string };
  expect(Date.parse(suppressed_since)).toBeGreaterThan(second - 30_000);
  await service.clock.advance(30 * DAY_MS);
  expect((await alice.send(recipient)).status).toBe(201);
});

test('complaints, refused texts and added entries of other accounts, however many, stop no send', async () => {
  const recipient = address();
  for (const by of [bob, carol]) await happened(recipient, 'complaint', by);
  const refused = address();
  for (const by of [bob, carol])
    await reported(await mailed(refused, by), 'hard_bounce', by, '550 5.7.1 Message refused');
  expect((await alice.send(refused)).status).toBe(201);
  const manual = address();
  for (const by of [bob, carol]) {
    const body = { recipient: manual, reason: 'hard_bounce' as const };
    const added = await service.call(createSuppression, { bearer: await signedIn(service, by), body });
    expect(added.status).toBe(201);
  }
  for (const to of [recipient, manual]) expect((await alice.send(to)).status).toBe(201);
});

test('a test send is not refused for a suppressed address, and its reports suppress none', async () => {
  const tester = await sender(service, 'Tester', { keys: 2 });
  await service.app.db.run(`update api_keys set mode = 'test' where account_id = $1`, [tester.account_id]);
  const recipient = 'delivered@sixdigit.test';
  await happened(recipient, 'hard_bounce', tester);
  expect((await tester.send(recipient)).status).toBe(201);
  const entries = 'select 1 from suppressions where account_id = $1';
  expect(await service.app.db.rows(entries, [tester.account_id])).toEqual([]);
});

test('the history of a verification and of its recipient explain what happened, each event once', async () => {
  const recipient = address();
  const otp_id = await mailed(recipient);
  const before = await alice.balance();
  for (let n = 0; n < 2; n += 1) await reported(otp_id, 'delayed', alice, 'greylisted');
  for (let n = 0; n < 2; n += 1) await reported(otp_id, 'hard_bounce');
  expect((await alice.history(otp_id)).map(({ notes }) => notes)).toEqual([
    null,
    'Accepted by sandbox',
    'Delayed: greylisted',
    'Bounced, so the address is suppressed: 550 5.1.1 no',
  ]);
  expect((await alice.state(otp_id)).failure).toBe('Bounced, so the address is suppressed: 550 5.1.1 no');
  expect(await alice.balance()).toBe(before + 1);
  const { body } = await service.call(getRecipient, {
    bearer: await signedIn(service, alice),
    query: { recipient },
  });
  expect(body).toMatchObject({
    suppression: { reason: 'hard_bounce', otp_id },
    check: { decision: 'refused', refusal: { reason: 'recipient_suppressed' } },
  });
  const check = await service.call(checkDestination, {
    apiKey: alice.key(),
    body: { channel: 'email', recipient },
  });
  expect(check.body.refusal).toMatchObject({ reason: 'recipient_suppressed' });
});

test('a complaint keeps the delivery and the charge', async () => {
  const recipient = address();
  const otp_id = await mailed(recipient);
  const before = await alice.balance();
  for (let n = 0; n < 2; n += 1) await reported(otp_id, 'complaint', alice, 'abuse');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
  expect(
    (await alice.history(otp_id))
      .slice(2)
      .map(({ notes }) => notes)
      .toSorted(),
  ).toEqual(['Delivered', 'Reported as spam, so the address is suppressed: abuse']);
  expect(await alice.balance()).toBe(before);
});

test('a key adds, finds and removes an address, of which only the hash and a mask are stored', async () => {
  const recipient = address();
  const body = { recipient: recipient.toUpperCase() };
  const made = await service.call(createSuppression, { apiKey: alice.key(), body });
  expect(made).toMatchObject({ status: 201, body: { recipient: 'n••@example.com', reason: 'manual' } });
  const again = await service.call(createSuppression, { apiKey: alice.key(), body });
  expect(again.body.id).toBe(made.body.id);
  expect(await listed({ search: recipient, reason: 'manual' })).toMatchObject({ count: 1 });
  const stored = await service.app.db.rows('select * from suppressions where id = $1', [made.body.id]);
  expect(JSON.stringify(stored)).not.toContain(recipient);
  const params = { id: made.body.id };
  expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'manual' });
  const deleted = await service.call(deleteSuppression, { apiKey: alice.key(), params });
  expect(deleted).toMatchObject({ status: 200, body: { provider: null } });
  expect((await service.call(deleteSuppression, { apiKey: alice.key(), params })).status).toBe(404);
  expect((await alice.send(recipient)).status).toBe(201);
});

test('an account adds at most 10,000 addresses, besides those that its mails suppressed', async () => {
  const dora = await sender(service, 'Dora', { scopes: ['recipients:write'] });
  await service.app.db.run(
    `insert into suppressions (id, account_id, fingerprint, recipient, reason, carrier, created_at)
     select gen_random_uuid(), $1, sha256(n::text::bytea), 'a••@example.com', 'complaint', case when n < 3 then 'sandbox' end,
       clock_now()
     from generate_series(1, $2) n`,
    [dora.account_id, SUPPRESSIONS_MOST + 1],
  );
  const add = () => service.call(createSuppression, { apiKey: dora.key(), body: { recipient: address() } });
  expect((await add()).status).toBe(201);
  expect((await add()).body).toMatchObject({ recipient: [expect.stringContaining('At most 10000')] });
});

test('an entry that is not an email address is refused', async () => {
  const body = { recipient: '+14155552671' };
  expect((await service.call(createSuppression, { apiKey: alice.key(), body })).body).toHaveProperty(
    'recipient',
  );
});

test('the export has every entry with its reason and source', async () => {
  const recipient = address();
  const otp_id = await happened(recipient, 'hard_bounce');
  const { body } = await service.call(exportSuppressions, {
    bearer: await signedIn(service, alice),
    query: { search: recipient },
  });
  expect(body.text.split('\r\n')[1]).toContain(`"n••@example.com","hard_bounce","sandbox","${otp_id}"`);
});

test('an erased recipient stays suppressed, without its masked address', async () => {
  const recipient = address();
  await happened(recipient, 'hard_bounce');
  await eraseRecipient(service.app, recipient);
  expect((await listed({ search: recipient })).results).toMatchObject([
    { recipient: '[erased]', detail: null },
  ]);
  expect((await alice.send(recipient)).body).toMatchObject({ reason: 'recipient_suppressed' });
});
