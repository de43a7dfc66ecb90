import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { createApiKey, rotateApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { addMessageDomain, MESSAGE_DOMAINS_MAX } from '@sixdigit/contract/message-links.ts';
import { suspendAccount } from '@sixdigit/contract/operator/accounts.ts';
import { createAnnouncement, endAnnouncement } from '@sixdigit/contract/operator/announcements.ts';
import { confirmSandboxPayment, createIntent } from '@sixdigit/contract/payments.ts';
import { getProtection, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '@sixdigit/contract/webhooks.ts';
import { beforeAll, expect, test } from 'vitest';
import { insertPasskey, suspect, updateName } from '../src/accounts/second-factors/passkey-queries.ts';
import { openSecrets } from '../src/webhooks/message.ts';
import { TEST_CARD } from './belongings.ts';
import { fixture } from './fixture.ts';
import { holdLock, untilBlocked } from './held-lock.ts';
import { auditOf, testOperator } from './operator.ts';
import { priced } from './payments.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => service.customer('Alice'));
let bearer: string;
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

/**
 * Makes a call while another transaction holds a lock on a row and is about to change it. The call must use the row as that
 * transaction leaves it.
 */
async function during<T>(
  [table, key]: readonly [table: string, key: Record<string, string>],
  change: string,
  call: () => Promise<T>,
): Promise<T> {
  const [[column, value] = []] = Object.entries(key);
  await using other = await holdLock(service, `select from ${table} where ${column} = $1 for update`, [
    value,
  ]);
  const answer = call();
  await untilBlocked(service, '');
  await other.run(`update ${table} set ${change} where ${column} = $1`, [value]);
  await other.commit();
  return answer;
}

/** What the newest entry of Alice's audit log says of the time before a change. */
const lastBefore = async (): Promise<unknown> =>
  (
    await service.app.db.one<{ before: unknown }>(
      'select before from audit_entries where account_id = $1 order by id desc limit 1',
      [alice.account_id],
    )
  ).before;

const newWebhook = async (name: string) => {
  const url = 'https://hooks.example.com/otp';
  return (await service.call(createWebhook, { bearer, body: { name, url } })).body.id;
};

const newKey = async (name: string) => {
  const { body } = await service.call(createApiKey, { bearer, body: { name } });
  return body;
};

test('an announcement that another operator has just ended is not ended again', async () => {
  const { body } = await olivia.call(createAnnouncement, { body: { text: 'Maintenance tonight' } });
  const { status } = await during(['announcements', { id: body.id }], 'ends_at = clock_now()', () =>
    olivia.call(endAnnouncement, { params: { id: body.id } }),
  );
  expect(status).toBe(404);
});

test('an API key that has just been deleted is neither rotated nor changed', async () => {
  const deleted = 'deleted_at = clock_now()';
  const one = await newKey('Short-lived');
  const rotated = await during(['api_keys', { id: one.id }], deleted, () =>
    service.call(rotateApiKey, { bearer, params: { id: one.id }, body: { valid_days: 1 } }),
  );
  expect(rotated.status).toBe(404);
  const two = await newKey('Short-lived too');
  const changed = await during(['api_keys', { id: two.id }], deleted, () =>
    service.call(updateApiKey, { bearer, params: { id: two.id }, body: { name: 'New name' } }),
  );
  expect(changed.status).toBe(404);
});

test('the audit log shows the settings after a concurrent change, not before it', async () => {
  await during(['accounts', { id: alice.account_id }], `sender_name = 'Second'`, () =>
    service.call(updateBranding, { bearer, body: { sender_name: 'Third' } }),
  );
  expect(await lastBefore()).toMatchObject({ sender_name: 'Second' });
});

test('the audit log shows the API key after a concurrent change, not before it', async () => {
  const { id } = await newKey('First');
  await during(['api_keys', { id }], `name = 'Second'`, () =>
    service.call(updateApiKey, { bearer, params: { id }, body: { name: 'Third' } }),
  );
  expect(await lastBefore()).toMatchObject({ name: 'Second' });
});

test('the audit log shows the webhook after a concurrent change, not before it', async () => {
  const id = await newWebhook('First');
  const body = { name: 'Third', url: 'https://hooks.example.com/otp' };
  await during(['webhook_endpoints', { id }], `name = 'Second'`, () =>
    service.call(updateWebhook, { bearer, params: { id }, body }),
  );
  expect(await lastBefore()).toMatchObject({ name: 'Second' });
  await during(['webhook_endpoints', { id }], `name = 'Second'`, () =>
    service.call(deleteWebhook, { bearer, params: { id } }),
  );
  expect(await lastBefore()).toMatchObject({ name: 'Second' });
});

test('a passkey is renamed and suspected as it is after a concurrent change', async () => {
  const { db, random } = service.app;
  const id = random.uuid();
  const person_id = alice.account_id;
  const made = { id, person_id, credential_id: Buffer.from(id), public_key: Buffer.from(id), counter: 0 };
  const rest = { transports: [], name: 'Laptop', is_synced: false, is_syncable: false };
  await db.transaction((tx) => insertPasskey(tx, { ...made, ...rest }));
  const renamed = await during(['passkeys', { id }], `name = 'Phone'`, () =>
    db.transaction((tx) => updateName(tx, { person_id, id }, 'Desk')),
  );
  expect(renamed).toMatchObject({ name: 'Desk', old_name: 'Phone' });
  const suspected = await during(['passkeys', { id }], 'suspected_at = clock_now()', () =>
    db.transaction((tx) => suspect(tx, id)),
  );
  expect(suspected).toEqual({ name: 'Desk', is_first: false });
});

test('the secrets of two concurrent rotations both sign', async () => {
  const id = await newWebhook('Rotated twice');
  const rotations = await during(['webhook_endpoints', { id }], 'total_sent = 0', () =>
    Promise.all([1, 2].map(() => service.call(rotateWebhookSecret, { bearer, params: { id } }))),
  );
  const endpoint = await service.app.db.one<{ secret: Buffer; previous_secret: Buffer | null }>(
    'select secret, previous_secret from webhook_endpoints where id = $1',
    [id],
  );
  const secrets = openSecrets(service.app, { endpoint_id: id, ...endpoint });
  expect(secrets).toEqual(expect.arrayContaining(rotations.map(({ body }) => body.secret)));
});

test('two concurrent changes of the protection settings keep both lists', async () => {
  const entry = { kind: 'prefix', value: '+4479', note: null };
  const deny = {
    kind: 'country',
    value: 'DE',
    note: null,
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: null,
  };
  await service.call(updateProtection, { bearer, body: { rules: {} } });
  await during(
    ['protection_settings', { account_id: alice.account_id }],
    `deny = '${JSON.stringify([deny])}'`,
    () => service.call(updateProtection, { bearer, body: { allow: [entry] } }),
  );
  const { body } = await service.call(getProtection, { bearer });
  expect({ allow: body.allow, deny: body.deny }).toMatchObject({
    allow: [{ value: '+4479' }],
    deny: [{ value: 'DE' }],
  });
});

test('concurrent additions do not exceed an account’s number of link domains', async () => {
  const bob = await service.customer('Bob');
  const as = await signedIn(service, bob);
  for (let n = 1; n < MESSAGE_DOMAINS_MAX; n += 1)
    await service.call(addMessageDomain, { bearer: as, body: { domain: `shop-${n}.example.com` } });
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      service.call(addMessageDomain, { bearer: as, body: { domain: `late-${n}.example.com` } }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
});

test('a payment that is canceled concurrently does not succeed', async () => {
  const { body } = await service.call(createIntent, {
    bearer,
    body: { ...priced(100), save_payment_method: false },
  });
  const client_secret = body.client_secret ?? '';
  await during(['sandbox_intents', { client_secret }], `status = 'canceled'`, () =>
    service.call(confirmSandboxPayment, { bearer, body: { client_secret, card: TEST_CARD } }),
  );
  const { status } = await service.app.db.one<{ status: string }>(
    'select status from sandbox_intents where client_secret = $1',
    [client_secret],
  );
  expect(status).toBe('canceled');
});

test('the operator audit log shows the suspension after a concurrent change', async () => {
  await during(
    ['accounts', { id: alice.account_id }],
    `suspended_at = clock_now(), suspended_reason = 'Spam'`,
    () => olivia.call(suspendAccount, { params: { id: alice.account_id }, body: { reason: 'Fraud' } }),
  );
  const entry = (await auditOf(service)).at(-1);
  expect(JSON.stringify(entry?.before)).toContain('Spam');
});
