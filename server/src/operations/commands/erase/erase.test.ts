import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { getProtection, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../../test/fixture.ts';
import { type Customer, testService } from '../../../../test/service.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { eraseRecipient } from '../../../deletion/deletion.ts';
import { eraseCommand } from './erase.ts';

const DAY = 86_400_000;
const EMAIL = 'pat.doe@example.com';
const PHONE = '+14155552671';

const send = (customer: Customer, recipient: string, more: Record<string, unknown> = {}, headers = {}) =>
  service.call(sendOtp, {
    apiKey: customer.api_key,
    body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient, ...more },
    headers,
  });

/** Everything that any table holds, as text; the service's own log too. */
async function everything(): Promise<string> {
  const { db } = service.app;
  const tables = await db.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const texts = [];
  for (const { name } of tables)
    texts.push(
      ...(await db.rows<{ t: string }>(`select to_jsonb(x)::text as t from "${name}" x`)).map(({ t }) => t),
    );
  return [...texts, ...service.logLines].join('\n');
}

const balances = () =>
  service.app.db.rows(
    `select b.account_id, b.credits, b.debt, sum(l.credits) as ledger from balances b join ledger l using (account_id)
     group by 1, 2, 3 order by 1`,
  );

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));
beforeAll(async () => {
  const { db, random } = service.app;
  await send(alice, EMAIL, { subject: 'For Pat', message: 'Pat, your code is {code}' });
  await send(alice, PHONE);
  await service.drain();
  await service.clock.advance(25 * DAY);
  await send(alice, EMAIL, {}, { 'idempotency-key': 'one' });
  await send(bob, 'Pat.Doe@Example.com');
  await send(bob, '(415) 555-2671');
  await send(bob, 'other@example.com');
  await service.drain();
  await send(alice, EMAIL);
  const { body } = await send(alice, PHONE);
  await service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id: body.otp_id, code: '12' } });
  // refused, as the caller wrote it
  await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '(415) 555 2671', expires_in: 1 },
  });
  await service.app.requestLog.flush();
  // A carrier's message id identifies the person at the carrier.
  await db.run(`update verifications set provider_message_id = 'carrier id of pat' where recipient = $1`, [
    EMAIL,
  ]);
  const { id } = await db.one<{ id: string }>('select id from verifications where recipient = $1 limit 1', [
    PHONE,
  ]);
  await db.run(`update status_history set notes = 'Blocked: +1 (415) 555-2671' where otp_id = $1`, [id]);
  await db.run(
    `insert into webhook_messages (id, endpoint_id, account_id, type, otp_id, body, created_at)
     values ($1, $2, $2, 'otp.failed', $3, $4, clock_now())`,
    [
      random.uuid(),
      alice.account_id,
      id,
      JSON.stringify({ type: 'otp.failed', data: { recipient: PHONE, failure: `No such number ${PHONE}` } }),
    ],
  );
  await db.run(
    `insert into webhook_attempts (id, endpoint_id, account_id, message_id, event_type, attempt, attempted_at,
       duration_ms, succeeded, response_excerpt) values ($1, $2, $2, $1, 'otp.sent', 1, clock_now(), 5, true, $3)`,
    [random.uuid(), alice.account_id, `thank you, ${EMAIL.toUpperCase()}!`],
  );
});

test('after an erasure, no table contains the e-mail address, in any account', async () => {
  const erased = await eraseRecipient(service.app, ' Pat.Doe@EXAMPLE.com ');
  expect(erased).toMatchObject({
    verifications: 4,
    queued_messages: 1,
    code_and_limits: 2,
    webhook_attempts: 1,
  });
  expect((await everything()).toLowerCase()).not.toMatch(/\bpat\b/);
});

test('after an erasure, no table contains the phone number, in any spelling', async () => {
  const before = await balances();
  const lines: string[] = [];
  expect(await eraseCommand(service.app, ['415-555-2671'], (line) => lines.push(line))).toBe(0);
  expect(lines[0]).toBe('Erased +14155552671:');
  expect(lines).toContain('  verifications: 3');
  const digits = (await everything()).replace(/[() -]/g, '');
  expect(digits).not.toContain('4155552671');
  expect(await balances()).toEqual(before);
});

test('erasing a phone number removes it from the allow and deny lists and their notes', async () => {
  const bearer = await signedIn(service, alice);
  const body = {
    allow: [
      { kind: 'number' as const, value: '+14155552674', note: 'Pat' },
      { kind: 'prefix' as const, value: '+1415555', note: 'Not 415-555-2674 alone' },
    ],
    deny: [{ kind: 'number' as const, value: '+14155552675' }],
  };
  expect((await service.call(updateProtection, { bearer, body })).status).toBe(200);
  expect(await eraseRecipient(service.app, '+14155552674')).toMatchObject({ list_entries: 2 });
  expect((await everything()).replace(/[() -]/g, '')).not.toContain('4155552674');
  const after = await service.call(getProtection, { bearer });
  expect(after.body).toMatchObject({
    allow: [{ kind: 'prefix', value: '+1415555', note: 'Not [erased] alone' }],
    deny: [{ value: '+14155552675' }],
  });
});

test('erasing a recipient keeps other recipients and the sends and costs of the account', async () => {
  const bobs = await signedIn(service, bob);
  const { body } = await service.call(listVerifications, { bearer: bobs });
  expect(body.results.map(({ recipient }) => recipient)).toEqual([
    'other@example.com',
    '[erased]',
    '[erased]',
  ]);
  const logs = await service.call(listRequestLogs, { bearer: bobs });
  expect(logs.body.results.map(({ otp }) => otp?.recipient)).toEqual([
    'other@example.com',
    '[erased]',
    '[erased]',
  ]);
});

test('a queued message to an erased recipient is not sent and is refunded', async () => {
  const sent = service.printed.length;
  await service.drain();
  expect(service.printed.length).toBe(sent);
  await service.clock.advance(10 * 60_000);
  await service.drain();
  const { n } = await service.app.db.one<{ n: number }>(
    `select count(*) as n from verifications where recipient = '[erased]' and status = 'failed' and cost_credits = 0`,
  );
  expect(n).toBe(2);
});

test('an erased recipient can receive new codes', async () => {
  expect((await send(alice, EMAIL)).status).toBe(201);
  await service.drain();
  expect(await service.inbox(EMAIL)).toHaveLength(1);
});

test('an erasure removes the carrier’s message ids', async () => {
  const recipient = 'someone.else@example.com';
  const { body } = await send(bob, recipient);
  await service.drain();
  const { db } = service.app;
  const stored = 'select provider_message_id as id from verifications where id = $1';
  await db.run(`update verifications set provider_message_id = 'SM0123' where id = $1`, [body.otp_id]);
  await eraseRecipient(service.app, recipient);
  expect(await db.one(stored, [body.otp_id])).toEqual({ id: null });
});

test('an erasure removes the end user’s IP address, even for a recipient of test sends only', async () => {
  const recipient = '+14155552676';
  const client_ip = '198.51.100.76';
  expect((await send(alice, '+14155552677', { client_ip })).status).toBe(201);
  const bearer = await signedIn(service, bob);
  const { key } = (await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } })).body;
  expect((await send({ ...bob, api_key: key }, recipient)).status).toBe(201);
  await service.drain();
  expect(await eraseRecipient(service.app, recipient)).toMatchObject({
    verifications: 1,
    code_and_limits: 1,
  });
  expect(await eraseRecipient(service.app, '+14155552677')).toMatchObject({ verifications: 1 });
  expect(await everything()).not.toContain(recipient);
  const { n } = await service.app.db.one<{ n: number }>(
    'select count(*) as n from verifications where client_ip = $1',
    [client_ip],
  );
  expect(n).toBe(0);
});

test('an opt-out outlives the erasure', async () => {
  await service.app.db.run('insert into opt_outs (fingerprint) values ($1)', [
    service.app.vault.fingerprint('opt-out', '+14155552673'),
  ]);
  await eraseRecipient(service.app, '+14155552673');
  expect(await send(alice, '+14155552673')).toMatchObject({
    status: 400,
    body: { reason: 'recipient_opted_out' },
  });
});

test('erasing an invalid recipient is refused', async () => {
  const lines: string[] = [];
  for (const args of [[], ['nobody'], ['%'], ['a@example.com', 'b@example.com']])
    expect(await eraseCommand(service.app, args, (line) => lines.push(line))).toBe(2);
  await expect(eraseRecipient(service.app, '%')).rejects.toThrow('neither a phone number');
});
