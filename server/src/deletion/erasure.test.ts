import { deleteMe, getMe, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { refreshTokens, signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { addMessageDomain } from '@sixdigit/contract/message-links.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Person, person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';
import { eraseLeftBehind } from './delete-account.ts';

const service = fixture(testService);

/** Creates an account with a name, a key, a webhook, a link domain, a list and a verification. */
async function established(
  name: string,
): Promise<Person & { id: string; apiKey: string; recipient: string }> {
  const somebody = await person(service, name);
  const bearer = somebody.access;
  await service.call(updateProfile, { bearer, body: { first_name: 'Ada', last_name: 'Lovelace' } });
  const { id } = (await service.call(getMe, { bearer })).body;
  const apiKey = (await service.call(createApiKey, { bearer, body: { name: 'Checkout of Ada' } })).body.key;
  await service.call(createWebhook, { bearer, body: { name: 'Hook of Ada', url: 'http://127.0.0.1:9/ada' } });
  await service.call(addMessageDomain, { bearer, body: { domain: 'shop-of-ada.example.com' } });
  const deny = [{ kind: 'prefix' as const, value: '+1415777', note: 'Ada knows them' }];
  await service.call(updateProtection, { bearer, body: { deny } });
  const recipient = `${name.toLowerCase()}@customers-of-ada.test`;
  const headers = { 'idempotency-key': `first-send-of-${name}` };
  const sent = await service.call(sendOtp, { apiKey, headers, body: { channel: 'email', recipient } });
  expect(sent.status).toBe(201);
  await service.drain();
  return { ...somebody, id, apiKey, recipient };
}

const remove = (bearer: string, password: string) => service.call(deleteMe, { bearer, body: { password } });

/** All rows of all tables as text, except the sandbox inbox. */
async function everything(): Promise<string> {
  const { db } = service.app;
  const tables = await db.rows<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     and relname <> 'sandbox_messages'`,
  );
  const all = [];
  for (const { name } of tables)
    all.push(...(await db.rows<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`)));
  return all.map(({ row }) => row).join('\n');
}

test('deleting the account requires the password', async () => {
  const alice = await person(service, 'Alice');
  expect(await remove(alice.access, 'not this one')).toMatchObject({
    status: 400,
    body: { password: ['The password is not correct.'] },
  });
  expect((await service.call(deleteMe, { bearer: alice.access, body: {} })).body).toMatchObject({
    password: ['This field is required.'],
  });
  expect((await service.call(deleteMe, { body: { password: 'x' } })).status).toBe(401);
  expect((await service.call(getMe, { bearer: alice.access })).status).toBe(200);
});

test('deleting the account immediately ends sessions, keys and webhooks and sends a farewell mail', async () => {
  const ada = await established('Ada');
  expect((await remove(ada.access, ada.password)).status).toBe(204);
  expect((await service.call(getMe, { bearer: ada.access })).status).toBe(401);
  expect((await service.call(refreshTokens, { body: ada })).status).toBe(401);
  expect((await service.call(signIn, { body: ada })).body.reason).toBe('invalid_credentials');
  await service.clock.advance(1_000);
  const body = { channel: 'email', recipient: 'x@customers.test' };
  expect((await service.call(sendOtp, { apiKey: ada.apiKey, body })).status).toBe(401);
  await service.drain();
  expect((await service.inbox(ada.email))[0]?.subject).toBe('Your account was deleted');
});

test('deleting the account erases personal data everywhere and preserves the ledger sums', async () => {
  const eve = await established('Eve');
  const sum = () =>
    service.app.db.one('select sum(credits) as sum, count(*) as rows from ledger where account_id = $1', [
      eve.id,
    ]);
  const before = await sum();
  expect(before).toEqual({ sum: 24, rows: 2 });
  // The idempotent response names the recipient.
  const responses = 'select count(*) as n from idempotency_keys where account_id = $1';
  expect(await service.app.db.one(responses, [eve.id])).toEqual({ n: 1 });
  await service.call(forgotPassword, { body: { email: eve.email } });
  await remove(eve.access, eve.password);
  await service.clock.advance(2 * 60_000);
  await service.drain();
  await service.drain();
  const { db } = service.app;
  const ofPeople = await db.rows<{ name: string }>(
    `select table_name as name from information_schema.columns where column_name = 'person_id' and table_schema = 'public'`,
  );
  const keeping: string[] = [];
  for (const { name } of ofPeople)
    if ((await db.rows(`select from ${name} where person_id = $1`, [eve.id])).length > 0) keeping.push(name);
  // The entry about the deletion outlives the account.
  expect(keeping).toEqual(['audit_entries']);
  const left = await everything();
  for (const trace of [
    eve.email,
    eve.phone,
    eve.recipient,
    'Lovelace',
    'of Ada',
    'of-ada',
    'Ada knows',
    '/ada',
  ])
    expect(left).not.toContain(trace);
  expect(await service.app.db.one(responses, [eve.id])).toEqual({ n: 0 });
  expect(await sum()).toEqual(before);
  expect(await service.app.db.one('select credits from balances where account_id = $1', [eve.id])).toEqual({
    credits: 24,
  });
});

/** Columns of an account and a person that outlive their deletion, because they describe nobody. */
const KEPT =
  /^(?:id|created_at|deleted_at|erased_at|suspended_\w+|default_otp_length|default_expiry_seconds|auto_purchase_(?:threshold|amount)|two_factor_method)$/;

test('deleting the account leaves no value in any other column of its row and of its person', async () => {
  const { db } = service.app;
  const { id, access, password } = await established('EveTwo');
  const texts = (...columns: string[]) =>
    columns.map((column) => `${column} = '${column} of EveTwo'`).join(', ');
  await db.run(
    `update people set ${texts('two_factor_phone', 'time_zone')}, two_factor_enabled = true, phone_verified_at = clock_now()
     where id = $1`,
    [id],
  );
  await db.run(
    `update accounts set ${texts('name', 'slug', 'sender_name', 'reply_to_email', 'default_subject', 'default_message')},
       default_language = 'de', language_by_country = true, auto_purchase_enabled = true, low_balance_threshold = 7, welcome_credits_due = 7
     where id = $1`,
    [id],
  );
  const columns = async (table: string, row: string) =>
    Object.entries(
      (await db.one<{ row: object }>(`select to_jsonb(t) as row from ${table} t where id = $1`, [row])).row,
    ).filter(([name]) => !KEPT.test(name));
  const blank = service.app.random.uuid();
  const tables = ['accounts', 'people'];
  for (const table of tables) {
    await db.run(`insert into ${table} (id, created_at) values ($1, clock_now())`, [blank]);
    const blanks = JSON.stringify(await columns(table, blank));
    for (const column of await columns(table, id)) expect(blanks).not.toContain(JSON.stringify(column));
  }
  expect((await remove(access, password)).status).toBe(204);
  for (const table of tables) expect(await columns(table, id)).toEqual(await columns(table, blank));
});

/**
 * The tables that an erasure empties in batches: a number of rows, and their columns and values. `n` numbers the rows, $1 is the
 * account. If a step forgets that a table had a whole batch, it ends with the tables after it, before this one is empty.
 */
const LEFT_BEHIND: Record<string, [rows: number, columns: string, values: string]> = {
  twilio_verifications: [
    2_000,
    'id, service_id, recipient_hash, is_test, own_code, created_at',
    `new_uuid(), new_uuid(), '', false, false, clock_now()`,
  ],
  verifications: [
    8_000,
    'id, api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at, is_test',
    `new_uuid(), $1, 'email', n, 'sent', 0, 6, clock_now(), clock_now(), true`,
  ],
  prefix_costs: [
    4_000,
    'day, country, prefix, verified, unverified, spent, credits',
    `'2026-01-01'::date + n::integer, 'US', '', 0, 1, 1, 1`,
  ],
  deliveries: [
    2_000,
    'id, channel, sealed, run_at, expires_at',
    `new_uuid(), 'email', '', clock_now() + interval '1 day', clock_now() + interval '1 day'`,
  ],
  recipients: [1, 'recipient, touched_at', 'n, clock_now()'],
  request_logs: [
    2_000,
    'id, api_key_id, request_type, response_time_ms, response_status_code, created_at',
    `new_uuid(), $1, 'send_otp', 1, 201, clock_now()`,
  ],
  idempotency_keys: [2_000, 'endpoint, key, request, created_at', `'send', n::text::bytea, '', clock_now()`],
  webhook_deliveries: [2_000, 'id, endpoint_id, run_at', `new_uuid(), $1, clock_now() + interval '1 day'`],
  webhook_messages: [
    1_000,
    'id, endpoint_id, type, body, created_at',
    `new_uuid(), $1, 'otp.sent', '{}', clock_now()`,
  ],
  webhook_attempts: [
    1,
    'id, endpoint_id, message_id, event_type, attempt, attempted_at, duration_ms, succeeded',
    `new_uuid(), $1, new_uuid(), 'otp.sent', 1, clock_now(), 1, true`,
  ],
  insight_deltas: [
    2_000,
    `at, channel, country, api_key_id, sent, dispatched, delivered, verified, expired, failed, canceled, exhausted, superseded,
     credits, refunded`,
    `clock_now(), 'email', '', $1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0`,
  ],
  audit_entries: [
    2_000,
    'id, created_at, actor, action, subject',
    `new_uuid(), clock_now(), 'owner', 'key.create', ''`,
  ],
};

test.each([
  [['twilio_verifications']],
  [['verifications', 'prefix_costs', 'deliveries', 'recipients']],
  [['request_logs']],
  [['idempotency_keys']],
  [['webhook_deliveries', 'webhook_messages', 'webhook_attempts']],
  [['insight_deltas']],
  [['audit_entries']],
])('the erasure of an account empties %j, however many rows they have', async (tables) => {
  const { db, random } = service.app;
  const id = random.uuid();
  await db.run(`insert into accounts (id, created_at, deleted_at) values ($1, clock_now(), clock_now())`, [
    id,
  ]);
  for (const table of tables) {
    const [rows, columns, values] = LEFT_BEHIND[table] ?? [];
    await db.run(
      `insert into ${table} (account_id, ${columns}) select $1::uuid, ${values} from generate_series(1, ${rows}) n`,
      [id],
    );
  }
  await service.clock.advance(2 * 60_000);
  while (await eraseLeftBehind(service.app));
  for (const table of tables)
    expect(await db.rows(`select from ${table} where account_id = $1`, [id]), table).toHaveLength(0);
});

test('deleting the account frees its e-mail address for a new account', async () => {
  const bob = await person(service, 'Bob');
  await remove(bob.access, bob.password);
  const { count } = await service.app.db.one<{ count: number }>(
    'select count(*) from accounts where email = $1',
    [bob.email],
  );
  expect(count).toBe(0);
});

test('deleting the account does not affect other accounts', async () => {
  const [ada, bob] = [await established('AdaTwo'), await established('BobTwo')];
  await remove(ada.access, ada.password);
  await service.clock.advance(2 * 60_000);
  await service.drain();
  const bearer = ((await service.call(refreshTokens, { body: bob })).body.access ?? '') as string;
  expect((await service.call(getMe, { bearer })).body).toMatchObject({ first_name: 'Ada', credits: 24 });
  const body = { channel: 'email', recipient: 'y@customers.test' };
  expect((await service.call(sendOtp, { apiKey: bob.apiKey, body })).status).toBe(201);
});

test('parallel requests delete the account once', async () => {
  const alice = await person(service, 'Double');
  const answers = await Promise.all([1, 2, 3].map(() => remove(alice.access, alice.password)));
  // An account may have only one waiting password check.
  for (const { status } of answers) expect([204, 401, 429]).toContain(status);
  await service.drain();
  const farewells = (await service.inbox(alice.email)).filter(
    ({ subject }) => subject === 'Your account was deleted',
  );
  expect(farewells).toHaveLength(1);
});
