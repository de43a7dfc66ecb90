import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import {
  listAccountActivity,
  listAccountAttempts,
  listAccountMessages,
  listAccountRequests,
  listAccountTestMessages,
} from '@sixdigit/contract/operator/account-data.ts';
import {
  listAccountTransactions,
  listAccountVerifications,
  listOperatorAccounts,
} from '@sixdigit/contract/operator/accounts.ts';
import { listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { listPurchases } from '@sixdigit/contract/operator/payments.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestOperator, testOperator } from '../../../test/operator.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { beginSearch } from '../audit.ts';

/** Every list that support can search has a row with this number and this address. */
const PHONE = '+14155552684';
const EMAIL = 'hidden.friend@example.net';

let service: TestService;
let sam: TestOperator;
let fay: Sender;
let webhook_id: string;

beforeAll(async () => {
  service = await testService();
  const { db, random } = service.app;
  sam = await testOperator(service, { role: 'support', name: 'Sam' });
  fay = await sender(service, 'Fay', { credits: 100 });
  const { account_id } = fay;
  const bearer = await signedIn(service, fay);
  await db.run('update people set phone_number = $2 where id = $1', [account_id, PHONE]);
  await fay.sent(PHONE);
  await fay.sent(EMAIL);
  const { body: key } = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
  for (const [channel, recipient] of [
    ['sms', PHONE],
    ['email', EMAIL],
  ] as const)
    await service.call(sendTestCode, { bearer, body: { api_key: key.id, channel, recipient } });
  const { body: hook } = await service.call(createWebhook, {
    bearer,
    body: { name: 'Shop', url: 'http://127.0.0.1:9/' },
  });
  webhook_id = hook.id;
  for (const named of [PHONE, EMAIL, '+1 (415) 555-2684']) {
    const id = random.uuid();
    await db.run(
      `insert into webhook_attempts (endpoint_id, id, account_id, message_id, event_type, attempt, attempted_at, duration_ms, succeeded, error)
       values ($1, $2, $3, $2, 'otp.sent', 1, clock_now(), 1, false, $4)`,
      [webhook_id, id, account_id, `Refused: ${named} is unknown`],
    );
    await db.run(
      `insert into audit_entries (id, account_id, created_at, actor, action, subject)
       values ($1, $2, clock_now(), 'owner', 'api_key.create', $3)`,
      [id, account_id, `Key of ${named}`],
    );
  }
  await db.run(
    `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at, is_tried)
     values ($1, $2, 'custom', 100, 200, 'sandbox', 'c', clock_now(), clock_now(), true)`,
    [random.uuid(), account_id],
  );
  await service.drain();
  await service.app.requestLog.flush();
});
afterAll(() => service[Symbol.asyncDispose]());

type Rows = { results: { id: string }[]; count: number | null };
const LISTS: Record<string, (search: string) => Promise<{ status: number; body: Rows }>> = {
  accounts: (search) => sam.call(listOperatorAccounts, { query: { search } }),
  purchases: (search) => sam.call(listPurchases, { query: { search } }),
  verifications: (search) =>
    sam.call(listAccountVerifications, { params: { id: fay.account_id }, query: { search } }),
  requests: (search) => sam.call(listAccountRequests, { params: { id: fay.account_id }, query: { search } }),
  'webhook attempts': (search) =>
    sam.call(listAccountAttempts, { params: { id: fay.account_id, webhook_id }, query: { search } }),
  'webhook messages': (search) =>
    sam.call(listAccountMessages, { params: { id: fay.account_id, webhook_id }, query: { search } }),
  'test messages': (search) =>
    sam.call(listAccountTestMessages, { params: { id: fay.account_id }, query: { search } }),
  activity: (search) => sam.call(listAccountActivity, { params: { id: fay.account_id }, query: { search } }),
  transactions: (search) =>
    sam.call(listAccountTransactions, { params: { id: fay.account_id }, query: { search } }),
  actions: (search) => sam.call(listOperatorActions, { query: { search } }),
};

/** Every part of a text with one of these lengths. */
const partsOf = (text: string, lengths: readonly number[]): string[] =>
  lengths.flatMap((length) =>
    Array.from({ length: text.length - length + 1 }, (_, from) => text.slice(from, from + length)),
  );
const digits = PHONE.slice(1);
const PARTS = [
  ...partsOf(PHONE, [3, 4, 7, 10, 11]),
  ...partsOf('(415) 555-2684', [5, 9, 13]),
  '4 1 5 5 5 5',
  '415-555-268',
  `${PHONE}0`,
  '4155552_84',
  ...partsOf(EMAIL, [4, 9, EMAIL.length - 1]),
  'HIDDEN.FRIEND@EXAMPLE.NE',
].filter((part) => ![digits, digits.slice(1), PHONE].includes(part.replace(/[^\d+]/g, '')) && part !== EMAIL);

test.each(Object.keys(LISTS))(
  'a support search of %s never finds a masked value by a part of it',
  async (name) => {
    const list = LISTS[name] as (typeof LISTS)[string];
    const all = await list('');
    expect(all.status).toBe(200);
    const seen = JSON.stringify(all.body).toLowerCase();
    expect(seen).not.toContain(digits);
    expect(seen).not.toContain(EMAIL);
    // A part that the mask leaves visible may match its row, so only hidden parts are tested.
    const hidden = PARTS.filter((part) => !seen.includes(part.trim().toLowerCase()));
    expect(hidden.length).toBeGreaterThan(40);
    for (const part of hidden) {
      const { body } = await list(part);
      expect(body.results, part).toEqual([]);
    }
  },
);

test.each([
  ['accounts', 1],
  ['purchases', 1],
  ['verifications', 1],
  ['requests', 1],
  ['webhook messages', 2],
  ['test messages', 1],
] as const)('a support search of %s finds a whole phone number in any notation', async (name, rows) => {
  for (const whole of [PHONE, '(415) 555-2684', '+1 415 555 2684', digits])
    expect((await LISTS[name]?.(whole))?.body.count, whole).toBe(rows);
});

test.each(['accounts', 'purchases', 'verifications', 'requests', 'webhook messages', 'test messages'])(
  'a search of %s by a whole phone number, in any notation, adds one entry to the audit log',
  async (name) => {
    await service.clock.advance(60 * 60_000);
    const entries = async () =>
      (await sam.call(listOperatorActions, { query: { action: 'recipient.search', page_size: 100 } })).body;
    const before = (await entries()).count;
    await LISTS[name]?.(PHONE);
    await LISTS[name]?.('(415) 555-2684');
    const { results, count } = await entries();
    expect(count - before).toBe(1);
    expect(results[0]).toMatchObject({ operator: sam.email, subject: '+1415••••84' });
    await LISTS[name]?.('+14155552685');
    expect((await entries()).count - before).toBe(2);
    await LISTS[name]?.('415555');
    expect((await entries()).count - before).toBe(2);
    expect(JSON.stringify(await entries())).not.toContain(digits);
  },
);

test('the pages and the count of one search add one entry to the audit log', async () => {
  await service.clock.advance(60 * 60_000);
  const entries = async () =>
    (await sam.call(listOperatorActions, { query: { action: 'recipient.search' } })).body.count;
  const before = await entries();
  const params = { id: fay.account_id };
  for (const part of [{ page: 2 }, { page: 1 }, { count: 'only' }] as const)
    await sam.call(listAccountVerifications, { params, query: { search: PHONE, ...part } });
  expect((await entries()) - before).toBe(1);
});

test('parallel requests of one search add one entry to the audit log, whichever process serves them', async () => {
  await service.clock.advance(60 * 60_000);
  const { db } = service.app;
  const entries = async () =>
    (await sam.call(listOperatorActions, { query: { action: 'recipient.search' } })).body.count;
  const before = await entries();
  const list = () =>
    sam.call(listAccountVerifications, { params: { id: fay.account_id }, query: { search: PHONE } });
  await Promise.all(Array.from({ length: 8 }, list));
  expect((await entries()) - before).toBe(1);
  await service.clock.advance(14 * 60_000);
  await list();
  expect((await entries()) - before).toBe(1);
  await service.clock.advance(2 * 60_000);
  await list();
  expect((await entries()) - before).toBe(2);

  const fingerprint = Buffer.from('of a search');
  const begun = await Promise.all(
    Array.from({ length: 8 }, () => db.transaction((tx) => beginSearch(tx, fingerprint))),
  );
  expect(begun.filter(Boolean)).toEqual([true]);
  await service.clock.advance(60 * 60_000);
  await list();
  expect(await db.rows('select 1 from operator_searches where fingerprint = $1', [fingerprint])).toEqual([]);
});

test('a support search finds words of errors and subjects that identify no recipient', async () => {
  const { db, random } = service.app;
  const id = random.uuid();
  await db.run(
    `insert into webhook_attempts (endpoint_id, id, account_id, message_id, event_type, attempt, attempted_at, duration_ms, succeeded, error)
     values ($1, $2, $3, $2, 'otp.sent', 1, clock_now(), 1, false, 'connect ECONNREFUSED 192.0.2.17:443')`,
    [webhook_id, id, fay.account_id],
  );
  expect((await LISTS['webhook attempts']?.('econnrefused 192.0.2.17'))?.body.results).toMatchObject([
    { id },
  ]);
  expect((await LISTS.activity?.('Shop'))?.body.count).toBe(1);
});
