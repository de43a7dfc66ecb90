import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { resendVerification } from '@sixdigit/contract/operator/account-data.ts';
import { suspendAccount } from '@sixdigit/contract/operator/accounts.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const REASON = { reason: 'The code did not arrive' };
const resend = (otp_id: string, account_id = fay.account_id) =>
  sam.call(resendVerification, { params: { id: account_id, otp_id }, body: REASON });
const actions = async (): Promise<string[]> => (await auditOf(service)).map(({ action }) => action);

/** Sam is in support. Fay sends, Bob is another customer. */
const service = fixture(testService);
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));
const fay = fixture(() => sender(service, 'Fay'));
const bob = fixture(() => service.customer('Bob'));

test('support can resend a code at the same price, and the owner sees the resend without the operator', async () => {
  const recipient = 'gina@example.com';
  const otp_id = await fay.sent(recipient, { message: 'Dear Gina, {code}' });
  await service.drain();
  const [before, code] = [await fay.balance(), await fay.code(recipient)];
  const resent = await resend(otp_id);
  expect(resent).toMatchObject({
    status: 201,
    body: { status: 'pending', channel: 'email', recipient: 'g••@example.com', cost_credits: 1 },
  });
  await service.drain();
  const texts = (await service.inbox(recipient)).map(({ text }) => text);
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).toContain(`Dear Gina, ${code}`);
  expect(await fay.balance()).toBe(before - 1);
  const bearer = await signedIn(service, fay);
  const detail = await service.call(getVerification, { bearer, params: { id: resent.body.otp_id } });
  expect(detail.body.status_logs.map(({ ip_address }) => ip_address)).not.toContain('127.0.0.1');

  expect((await auditOf(service)).at(-1)).toMatchObject({ action: 'verification.resend', ...REASON });
  const own = await service.call(listAuditEntries, { bearer, query: { actor: 'operator' } });
  expect(own.body.results).toMatchObject([
    { action: 'verification.resend', subject: `Verification ${otp_id}`, ip_address: null },
  ]);
  expect(await fay.verify(otp_id, code)).toMatchObject({ status: 200 });
  expect(await resend(otp_id)).toMatchObject({ status: 400, body: { reason: 'otp_already_verified' } });
});

test('support cannot resend a code that can no longer verify, and nothing is audited or charged', async () => {
  const canceled = await fay.sent('hal@example.com');
  await fay.cancel(canceled);
  const expired = await fay.sent('ivy@example.com', { expires_in: 60 });
  await service.clock.advance(61_000);
  const [before, balance] = [(await actions()).length, await fay.balance()];
  expect(await resend(canceled)).toMatchObject({ status: 400, body: { reason: 'otp_closed' } });
  expect(await resend(expired)).toMatchObject({ status: 400, body: { reason: 'otp_expired' } });
  expect((await resend(canceled, bob.account_id)).status).toBe(404);
  expect((await resend('no id')).status).toBe(404);
  expect([(await actions()).length, await fay.balance()]).toEqual([before, balance]);
});

test('a resend by support obeys the account’s limits, and a refusal is audited', async () => {
  const recipient = 'jon@example.com';
  const otp_id = await fay.sent(recipient);
  let last = await resend(otp_id);
  for (let n = 0; n < 20 && last.status === 201; n++) last = await resend(otp_id);
  expect(last).toMatchObject({ status: 429, body: { reason: 'recipient_rate_limited' } });
  expect((await auditOf(service)).at(-1)).toMatchObject({
    action: 'verification.resend_failed',
    after: { refused: 'recipient_rate_limited' },
  });
});

test('a resend by support keeps the labels, the length and the attempts, within the account’s limits of today', async () => {
  const gwen = await sender(service, 'Gwen');
  const labels = { purpose: 'login', metadata: { order: '4711' } };
  const guesses = { code_length: 8, max_attempts: 10 };
  const otp_id = await gwen.sent('gwen@example.com', { ...labels, ...guesses, expires_in: 3_600 });
  // No longer the same code.
  await service.clock.advance(601_000);
  const rowOf = async () => {
    const { status, body } = await resend(otp_id, gwen.account_id);
    expect(status).toBe(201);
    return service.app.db.one(
      'select purpose, metadata::json as metadata, code_length, max_attempts from verifications where id = $1',
      [body.otp_id],
    );
  };
  expect(await rowOf()).toEqual({ ...labels, ...guesses });
  await service.app.db.run('update accounts set default_otp_length = 8 where id = $1', [gwen.account_id]);
  await service.clock.advance(2_000);
  expect(await rowOf()).toEqual({ ...labels, code_length: 8, max_attempts: 5 });
});

test.each([
  ['Hans', `expires_at = clock_now()`],
  ['Ines', `scopes = '{otp:verify}'`],
])('a resend by support is refused if the key of %s has %s', async (name, change) => {
  const hans = await sender(service, name, { keys: 1 });
  const otp_id = await hans.sent('hans@example.com');
  await service.app.db.run(`update api_keys set ${change} where account_id = $1`, [hans.account_id]);
  expect(await resend(otp_id, hans.account_id)).toMatchObject({
    status: 400,
    body: { reason: 'api_key_unusable' },
  });
});

test('a resend by support is refused after the key is deleted or the account is suspended', async () => {
  const olivia = await testOperator(service);
  const bearer = await signedIn(service, fay);
  const otp_id = await fay.sent('kim@example.com');
  const { id } = await service.app.db.one<{ id: string }>(
    'select api_key_id as id from verifications where id = $1',
    [otp_id],
  );
  await service.call(deleteApiKey, { bearer, params: { id } });
  expect(await resend(otp_id)).toMatchObject({ status: 400, body: { reason: 'api_key_unusable' } });
  const other = await fay.sent('liv@example.com').catch(() => fay.sent('liv@example.com'));
  await olivia.call(suspendAccount, { params: { id: fay.account_id }, body: REASON });
  expect(await resend(other)).toMatchObject({ status: 400, body: { reason: 'account_suspended' } });
});

test("an operator's resend ignores the Idempotency-Key of its request, even one that a send would refuse", async () => {
  const gus = await sender(service, 'Gus');
  const otp_id = await gus.sent('henry@example.com');
  const answer = await sam.call(resendVerification, {
    params: { id: gus.account_id, otp_id },
    body: REASON,
    headers: { 'idempotency-key': 'two words' },
  });
  expect(answer.status).toBe(201);
});
