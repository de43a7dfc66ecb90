import { updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { addMessageDomain, listMessageDomains } from '@sixdigit/contract/message-links.ts';
import {
  getAccountInsights,
  getAccountSettings,
  listAccountActivity,
  listAccountAttempts,
  listAccountBlocks,
  listAccountMessages,
  listAccountRequests,
  listAccountTestMessages,
  listAccountVerificationWebhooks,
  resendWebhookMessage,
  revealActivity,
  revealAttempt,
  revealRequest,
  revealTestMessage,
} from '@sixdigit/contract/operator/account-data.ts';
import { getAccountVerification, listAccountVerifications } from '@sixdigit/contract/operator/accounts.ts';
import { listBlocks, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import {
  createWebhook,
  listVerificationWebhooks,
  listWebhookAttempts,
  listWebhookMessages,
} from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../../test/fakes/receiver.ts';
import { auditOf, type TestOperator, testOperator } from '../../../test/operator.ts';
import { type Person, person } from '../../../test/person.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { type Customer, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { record } from '../../audit/audit.ts';

/** Sam is in support. Fay sends, Bob is another customer, Ida changes her profile. */
let service: TestService;
let receiver: Receiver;
let sam: TestOperator;
let fay: Sender;
let bob: Customer;
let ida: Person;
let bearer: string;
let webhook_id: string;

const REASON = { reason: 'Ticket of the customer' };
const PHONE = '+14155552677';
const EMAIL = 'friend@example.com';
const at = ({ account_id }: Customer) => ({ params: { id: account_id } });

beforeAll(async () => {
  service = await testService();
  receiver = await startReceiver({ answer: () => ({ status: 500, body: `no such person: ${EMAIL}` }) });
  sam = await testOperator(service, { role: 'support', name: 'Sam' });
  fay = await sender(service, 'Fay');
  bob = await service.customer('Bob');
  ida = await person(service, 'Ida');
  bearer = await signedIn(service, fay);
  const created = await service.call(createWebhook, {
    bearer,
    body: { name: 'Production', url: receiver.at('/hook') },
  });
  webhook_id = created.body.id;
  await fay.sent(PHONE);
  await fay.sent(EMAIL);
  await service.call(updateProtection, {
    bearer,
    body: { deny: [{ kind: 'prefix' as const, value: '+1212555' }] },
  });
  await fay.send('+12125550147');
  await service.drain();
  await service.app.requestLog.flush();
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

describe('the requests of an account', () => {
  const requests = async (search = '') =>
    (await sam.call(listAccountRequests, { ...at(fay), query: { search } })).body;

  test('an operator sees the same requests as the owner, with masked recipients', async () => {
    const own = (await service.call(listRequestLogs, { bearer })).body;
    const seen = await requests();
    expect(seen.count).toBe(own.count);
    expect(seen.results.map(({ otp: _, ...rest }) => rest)).toEqual(
      own.results.map(({ otp: _, ...rest }) => rest),
    );
    expect(seen.results.map(({ otp }) => otp?.recipient)).toEqual([
      '+1212••••47',
      'f••@example.com',
      '+1415••••77',
    ]);
  });

  test('an operator finds requests by a whole recipient, never by a part', async () => {
    expect((await requests('(415) 555-2677')).count).toBe(1);
    expect((await requests(EMAIL.toUpperCase())).count).toBe(1);
    expect((await requests('destination blocked')).count).toBe(1);
    for (const part of ['2677', '4 1 5 5 5 5       ', 'end@example.com', 'riend', '@example.com'])
      expect((await requests(part)).count, part).toBe(0);
  });

  test('revealing the recipient of a request adds an entry to both audit logs', async () => {
    const [blocked] = (await requests()).results;
    const params = { id: fay.account_id, request_id: blocked?.id ?? '' };
    const revealed = await sam.call(revealRequest, { params, body: REASON });
    expect(revealed.body.otp?.recipient).toBe('+12125550147');
    expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'request.reveal', ...REASON });
    const own = await service.call(listAuditEntries, { bearer, query: { actor: 'operator' } });
    expect(own.body.results[0]).toMatchObject({
      action: 'account.reveal',
      subject: `Request ${blocked?.id}`,
    });
    for (const foreign of [
      { ...params, id: bob.account_id },
      { ...params, request_id: 'no id' },
    ])
      expect((await sam.call(revealRequest, { params: foreign, body: REASON })).status).toBe(404);
    expect((await sam.call(revealRequest, { params, body: { reason: '' } })).status).toBe(400);
  });
});

test('an operator finds a verification by a whole recipient, never by a part', async () => {
  const found = async (search: string) =>
    (await sam.call(listAccountVerifications, { ...at(fay), query: { search } })).body.count;
  expect([await found('415-555-2677'), await found(EMAIL)]).toEqual([1, 1]);
  for (const part of ['4 1 5 5 5 5       ', 'end@example.com', '2677'])
    expect(await found(part), part).toBe(0);
});

describe('the webhook attempts of an account', () => {
  const params = () => ({ id: fay.account_id, webhook_id });

  test('an operator sees the response of a webhook attempt only after revealing it', async () => {
    const own = await service.call(listWebhookAttempts, { bearer, params: { id: webhook_id } });
    await service.app.db.run('update webhook_attempts set error = $2 where endpoint_id = $1', [
      webhook_id,
      `certificate of ${EMAIL}`,
    ]);
    const { body } = await sam.call(listAccountAttempts, { params: params() });
    expect(body.count).toBe(own.body.count);
    expect(body.results[0]).toMatchObject({
      error: 'certificate of f••@example.com',
      response_status: 500,
      response_excerpt: null,
      has_response: true,
    });
    expect(JSON.stringify(body)).not.toContain(EMAIL);
    const none = await sam.call(listAccountAttempts, { params: params(), query: { succeeded: 'true' } });
    expect(none.body.count).toBe(0);

    const attempt_id = body.results[0]?.id ?? '';
    const revealed = await sam.call(revealAttempt, { params: { ...params(), attempt_id }, body: REASON });
    expect(revealed.body.response_excerpt).toContain(EMAIL);
    expect(JSON.parse(revealed.body.body ?? '{}')).toMatchObject({ type: expect.stringMatching(/^otp\./) });
    expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'webhook_attempt.reveal', ...REASON });
    const foreign = { params: { ...params(), id: bob.account_id, attempt_id }, body: REASON };
    expect((await sam.call(revealAttempt, foreign)).status).toBe(404);
    expect(
      (await sam.call(listAccountAttempts, { params: { ...params(), id: bob.account_id } })).status,
    ).toBe(404);
  });
});

test('an operator sees an account’s webhook messages with their attempts, with masked recipients and errors', async () => {
  const params = { id: fay.account_id, webhook_id };
  const own = await service.call(listWebhookMessages, { bearer, params: { id: webhook_id } });
  const { body } = await sam.call(listAccountMessages, { params });
  expect(body.results.map(({ id, state }) => [id, state])).toEqual(
    own.body.results.map(({ id, state }) => [id, state]),
  );
  expect(own.body.results.map(({ recipient }) => recipient)).toContain(EMAIL);
  expect(body.results.map(({ recipient }) => recipient)).toContain('f••@example.com');
  expect(body.results[0]?.attempts[0]).toMatchObject({
    error: 'certificate of f••@example.com',
    response_status: 500,
  });
  expect(JSON.stringify(body)).not.toContain(EMAIL);
  const failing = async (of: 'true' | 'false') =>
    (await sam.call(listAccountMessages, { params, query: { failing: of } })).body.count;
  expect([await failing('true'), await failing('false')]).toEqual([own.body.count, 0]);
  for (const other of [
    { ...params, id: bob.account_id },
    { ...params, webhook_id: 'no id' },
  ])
    expect((await sam.call(listAccountMessages, { params: other })).status).toBe(404);
});

test('support can resend a webhook message, and the audit log and the owner see the operator and the reason', async () => {
  const { body } = await sam.call(listAccountAttempts, { params: { id: fay.account_id, webhook_id } });
  const message_id = body.results[0]?.message_id ?? '';
  const received = () =>
    receiver.requests.filter(({ headers }) => headers['webhook-id'] === message_id).length;
  const before = received();
  const params = { id: fay.account_id, webhook_id, message_id };
  const resent = await sam.call(resendWebhookMessage, { params, body: REASON });
  expect(resent).toMatchObject({ status: 200, body: { message_id, status: 'queued' } });
  await service.drain();
  expect(received()).toBe(before + 1);
  expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'webhook.resend', ...REASON });
  const own = await service.call(listAuditEntries, { bearer, query: { search: message_id } });
  expect(own.body.results).toMatchObject([{ action: 'webhook.resend', actor: 'operator' }]);

  const audited = (await auditOf(service)).length;
  for (const wrong of [
    { ...params, id: bob.account_id },
    { ...params, message_id: service.app.random.uuid() },
    { ...params, webhook_id: 'no id' },
  ])
    expect((await sam.call(resendWebhookMessage, { params: wrong, body: REASON })).status).toBe(404);
  expect((await sam.call(resendWebhookMessage, { params, body: {} as never })).status).toBe(400);
  expect(await auditOf(service)).toHaveLength(audited);
});

test('an operator sees a verification’s history without its recipient or text', async () => {
  const otp_id = await fay.sent('+14155552690', {
    message: 'Dear Fred, your code is {code}',
    purpose: 'call-14155552690',
    metadata: { order: 'of Fred', '4155552690': 'x' },
  });
  await service.drain();
  const quoting = 'Not delivered: 14155552690 and +1 415 555 2690 are unknown';
  await service.app.db.run(
    `insert into status_history (account_id, otp_id, changed_at, previous_status, new_status, notes)
     values ($1, $2, clock_now(), 'sent', 'failed', $3)`,
    [fay.account_id, otp_id, quoting],
  );
  await service.app.db.run('update verifications set failure = $2 where id = $1', [otp_id, quoting]);
  const { body } = await sam.call(getAccountVerification, { params: { id: fay.account_id, otp_id } });
  expect(body).toMatchObject({ id: otp_id, recipient: '+1415••••90', has_text: true });
  expect(body).toMatchObject({ purpose: 'call-••••90', metadata: { order: '••••', '••••': '••••' } });
  const masked = 'Not delivered: ••••90 and +1415••••90 are unknown';
  expect(body.failure).toBe(masked);
  expect(body.status_logs.map(({ notes }) => notes)).toContain(masked);
  expect(JSON.stringify(body)).not.toMatch(/Fred|4155552690|415 555 2690/);
  for (const id of [bob.account_id, 'no id'])
    expect((await sam.call(getAccountVerification, { params: { id, otp_id } })).status).toBe(404);
});

test('an operator sees the same webhook messages about a verification as its owner', async () => {
  const otp_id = await fay.sent('+14155552691');
  await service.drain();
  const own = await service.call(listVerificationWebhooks, { bearer, params: { id: otp_id } });
  const params = { id: fay.account_id, otp_id };
  const seen = await sam.call(listAccountVerificationWebhooks, { params });
  expect(own.body.results.length).toBeGreaterThan(0);
  expect(seen.body).toEqual(own.body);
  for (const foreign of [
    { ...params, id: bob.account_id },
    { ...params, otp_id: 'no id' },
  ])
    expect((await sam.call(listAccountVerificationWebhooks, { params: foreign })).status).toBe(404);
});

test('an operator sees the same insights as the owner, with the same filters', async () => {
  await service.drain();
  const at_noon = { from: '2020-01-01T00:00:00Z', to: '2021-01-01T00:00:00Z' };
  for (const query of [{}, { channel: 'sms' as const, range: '30d' as const }, at_noon]) {
    const own = await service.call(getInsights, { bearer, query });
    const seen = await sam.call(getAccountInsights, { ...at(fay), query });
    expect(seen.status).toBe(200);
    const { from: _, to: __, as_of: ___, ...counts } = seen.body;
    expect(own.body).toMatchObject(counts);
  }
  expect((await sam.call(getAccountInsights, { ...at(fay), query: { from: 'today' } })).status).toBe(400);
});

describe('the test inbox of an account', () => {
  const recipient = 'tess@example.com';
  const inbox = async (search = '') =>
    (await sam.call(listAccountTestMessages, { ...at(fay), query: { search } })).body;

  beforeAll(async () => {
    const { body } = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
    await service.call(sendTestCode, { bearer, body: { api_key: body.id, channel: 'email', recipient } });
    await service.drain();
  });

  test('the test inbox shows operators masked recipients without text, and finds a message by its whole recipient only', async () => {
    const { results, count } = await inbox();
    expect(count).toBe(1);
    expect(results).toMatchObject([{ recipient: 't••@example.com', channel: 'email' }]);
    expect(Object.keys(results[0] ?? {}).sort()).toEqual([
      'channel',
      'created_at',
      'id',
      'recipient',
      'status',
    ]);
    expect([(await inbox(recipient)).count, (await inbox('ess@example')).count]).toEqual([1, 0]);
  });

  test('an operator can reveal a message of the test inbox, with an entry in the audit log', async () => {
    const own = (await service.call(listTestMessages, { bearer })).body.results[0];
    const params = { id: fay.account_id, otp_id: own?.id ?? '' };
    expect((await sam.call(revealTestMessage, { params, body: REASON })).body).toEqual(own);
    expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'test_message.reveal', ...REASON });
    for (const foreign of [
      { ...params, id: bob.account_id },
      { ...params, otp_id: 'no id' },
    ])
      expect((await sam.call(revealTestMessage, { params: foreign, body: REASON })).status).toBe(404);
  });
});

test('an operator sees the same settings as the owner, with masked numbers', async () => {
  await service.call(addMessageDomain, { bearer, body: { domain: 'example.com' } });
  const number = { kind: 'number' as const, value: '+14155552699', note: 'Call +1 415 555 2699' };
  await service.call(updateProtection, { bearer, body: { allow: [number] } });
  const { body } = await sam.call(getAccountSettings, at(fay));
  expect(body.otp).toEqual((await service.call(getBranding, { bearer })).body);
  expect(body.spend).toEqual((await service.call(getSpend, { bearer })).body);
  expect(body).toMatchObject({
    protection: { allow: [{ value: '+1415••••99', note: 'Call +1415••••99' }] },
    second_factors: { passkeys: [], authenticator: null },
    cards: [],
  });
  const own = (await service.call(listMessageDomains, { bearer })).body;
  expect(own.results).toMatchObject([{ record_name: expect.stringContaining('example.com') }]);
  expect(body).toMatchObject({ message_domains: own.results, message_links: own.links });
  expect((await sam.call(getAccountSettings, { params: { id: 'no id' } })).status).toBe(404);
});

test('an operator sees the same blocks as the owner', async () => {
  const own = await service.call(listBlocks, { bearer });
  const seen = await sam.call(listAccountBlocks, at(fay));
  expect(seen.body).toEqual(own.body);
  expect(seen.body.blocked).toBe(1);
});

describe('the activity of an account', () => {
  test('an account’s activity masks numbers and addresses until an operator reveals an entry', async () => {
    const phone_number = '+14155550123';
    await service.call(updateProfile, {
      bearer: ida.access,
      body: { phone_number, current_password: ida.password },
    });
    const { id } = await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [
      ida.email,
    ]);
    const { body } = await sam.call(listAccountActivity, { params: { id }, query: { search: 'phone' } });
    expect(body.results[0]).toMatchObject({ action: 'phone.change', after: { phone_number: '+1415••••23' } });
    expect(JSON.stringify(body)).not.toContain(phone_number);
    const entry_id = body.results[0]?.id ?? '';
    const revealed = await sam.call(revealActivity, { params: { id, entry_id }, body: REASON });
    expect(revealed.body).toMatchObject({ id: entry_id, after: { phone_number } });
    expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'activity.reveal', ...REASON });
    const foreign = { params: { id: bob.account_id, entry_id }, body: REASON };
    expect((await sam.call(revealActivity, foreign)).status).toBe(404);
  });

  test('an account’s activity also masks numbers and addresses in old values and names', async () => {
    const { app } = service;
    await app.db.transaction((tx) =>
      record(tx, app, {
        account_id: bob.account_id,
        actor: 'owner',
        action: 'webhook.change',
        subject: `Hook of ${EMAIL}`,
        before: { name: `Hook of ${EMAIL}`, receivers: [PHONE] },
        after: { name: 'Hook' },
      }),
    );
    const { body } = await sam.call(listAccountActivity, { params: { id: bob.account_id } });
    expect(body.results[0]).toMatchObject({
      subject: 'Hook of f••@example.com',
      before: { name: 'Hook of f••@example.com', receivers: ['+1415••••77'] },
    });
  });
});

test('operator calls for an unknown account return 404', async () => {
  for (const id of [service.app.random.uuid(), 'no id']) {
    const missing = { params: { id, webhook_id } };
    for (const route of [
      listAccountRequests,
      listAccountAttempts,
      listAccountMessages,
      listAccountBlocks,
      listAccountActivity,
      getAccountInsights,
      listAccountTestMessages,
    ])
      expect((await sam.call(route, missing)).status).toBe(404);
  }
});
