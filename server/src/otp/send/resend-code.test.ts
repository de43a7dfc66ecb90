import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { resendOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { exportVerifications, getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

/** The same code once more, under the same id. */
const service = fixture(() => testService({ env: { RECIPIENT_SENDS_PER_10_MIN: '8' } }));
const alice = fixture(() => sender(service, 'Alice', { keys: 12, scopes: ['otp:own_code'] }));
const bob = fixture(() => sender(service, 'Bob', { keys: 2 }));

const resend = (otp_id: string, body: object = {}, headers = {}, who: Sender = alice) =>
  service.call(resendOtp, { apiKey: who.key(), params: { otp_id }, body, headers });
const verify = (body: object) =>
  service.call(verifyOtp, { apiKey: alice.key(), body: body as { code: string } });
let turn = 100;
const phone = () => `+1415555${String(turn++).padStart(4, '0')}`;

test('a resend sends the same code under the same id, at the price of a send', async () => {
  const recipient = phone();
  const labels = { metadata: { order: '1' }, purpose: 'login', client_ip: '203.0.113.7' };
  const otp_id = await alice.sent(recipient, labels);
  await service.drain();
  const code = await alice.code(recipient);
  const { expires_at } = await alice.state(otp_id);
  const before = await alice.balance();
  await service.clock.advance(30_000);
  const again = await resend(otp_id, { channel: 'voice' });
  expect(again).toMatchObject({ status: 200, body: { otp_id, channel: 'voice', expires_at } });
  expect(again.body.resend_id).not.toBe(otp_id);
  await service.drain();
  expect(await alice.code(recipient)).toBe(code);
  expect(await service.inbox(recipient)).toHaveLength(2);
  expect(await alice.balance()).toBe(before - again.body.cost_credits);
  expect(await alice.state(otp_id)).toMatchObject({
    resends: [{ resend_id: again.body.resend_id, channel: 'voice', status: 'sent' }],
  });
  const [row] = await service.app.db.rows(
    'select metadata::json as metadata, purpose, host(client_ip) as client_ip from verifications where id = $1',
    [again.body.resend_id],
  );
  expect(row).toEqual(labels);
  expect((await verify({ otp_id: again.body.resend_id, code })).status).toBe(404);
  expect((await verify({ recipient, purpose: 'login', code })).body).toMatchObject({ otp_id });
  expect((await resend(otp_id)).body).toMatchObject({ reason: 'otp_already_verified' });
});

test('a first message that never left fails and is refunded at its expiry, although a resend left', async () => {
  const recipient = phone();
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient, { expires_in: 60 });
  await service.app.db.run(`update deliveries set run_at = 'infinity' where id = $1`, [otp_id]);
  const again = await resend(otp_id, { channel: 'voice' });
  await service.drain();
  await service.clock.advance(60_000);
  await service.app.db.run('select end_expired(100)');
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    cost_credits: 0,
    resends: [{ status: 'expired', cost_credits: again.body.cost_credits }],
  });
  expect(await alice.balance()).toBe(before - again.body.cost_credits);
});

test('a resend on another channel names the language that it has there', async () => {
  const otp_id = await alice.sent(phone(), { locale: 'el' });
  expect((await alice.state(otp_id)).language).toBe('el');
  expect((await resend(otp_id, { channel: 'voice' })).body).toMatchObject({ language: 'en' });
  expect((await resend(otp_id)).body).toMatchObject({ language: 'el' });
});

test('lists, details and exports name the verification that a resend repeats', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  const { resend_id } = (await resend(otp_id)).body;
  const bearer = await signedIn(service, alice);
  const query = { search: recipient };
  const { results } = (await service.call(listVerifications, { bearer, query })).body;
  expect(results).toMatchObject([
    { id: resend_id, resend_of: otp_id },
    { id: otp_id, resend_of: null },
  ]);
  const detail = await service.call(getVerification, { bearer, params: { id: resend_id } });
  expect(detail.body).toMatchObject({ resend_of: otp_id, resends: [] });
  const { text } = (await service.call(exportVerifications, { bearer, query })).body;
  const [header, first, second] = text.split(/\r?\n/);
  const cells = (line = '') => line.replaceAll('"', '').split(',');
  const place = cells(header).indexOf('resend_of');
  expect([first, second].map((line) => cells(line)[place])).toEqual([otp_id, '']);
});

test('a resend neither adds attempts nor a second valid code', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient, { max_attempts: 3 });
  await service.drain();
  const code = await alice.code(recipient);
  expect((await verify({ otp_id, code: wrongCode(code) })).body).toMatchObject({ attempts_remaining: 2 });
  await resend(otp_id);
  expect((await verify({ otp_id, code: wrongCode(code) })).body).toMatchObject({ attempts_remaining: 1 });
  await resend(otp_id);
  expect((await verify({ otp_id, code: wrongCode(code) })).body).toMatchObject({ attempts_remaining: 0 });
  expect((await resend(otp_id)).body).toMatchObject({ reason: 'max_attempts_reached' });
});

test('parallel resends and a cancellation leave no open message behind', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  const [, ...replies] = await Promise.all([
    alice.cancel(otp_id),
    ...Array.from({ length: 4 }, () => resend(otp_id)),
  ]);
  for (const { status, body } of replies)
    if (status !== 200) expect(body).toMatchObject({ reason: 'otp_closed' });
  const open = await service.app.db.rows(
    `select from verifications where recipient = $1 and (code_hmac is not null or closed_by is null)`,
    [recipient],
  );
  expect(open).toEqual([]);
  const left = await service.app.db.rows('select open_ids from recipients where recipient = $1', [recipient]);
  expect(left).toEqual([{ open_ids: [] }]);
});

test('canceling a verification cancels and refunds its waiting resends', async () => {
  const recipient = phone();
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient);
  const { body } = await resend(otp_id);
  await alice.cancel(otp_id);
  expect(await alice.balance()).toBe(before);
  expect(await alice.state(body.resend_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
});

test('a verification that has ended, is another account’s or has an own code cannot be resent', async () => {
  const canceled = await alice.sent(phone());
  await alice.cancel(canceled);
  expect((await resend(canceled)).body).toMatchObject({ reason: 'otp_closed' });
  const own = await alice.sent(phone(), { code: '123456' });
  expect((await resend(own)).body).toMatchObject({ reason: 'own_code' });
  const open = await alice.sent(phone(), { expires_in: 60 });
  expect((await resend(open, {}, {}, bob)).status).toBe(404);
  expect((await resend('nowhere')).status).toBe(404);
  const { body } = await resend(open);
  expect((await resend(body.resend_id)).status).toBe(404);
  expect((await resend(open, { channel: 'email' })).body).toEqual({ channel: [expect.any(String)] });
  await service.clock.advance(61_000);
  expect((await resend(open)).body).toMatchObject({ reason: 'otp_expired' });
});

test('a code is sent again for ten minutes only, and never after a fresh one', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient, { expires_in: 3600 });
  await service.drain();
  await service.clock.advance(601_000);
  await service.drain({ keepHouse: true });
  expect((await resend(otp_id)).body).toMatchObject({ reason: 'resend_too_late' });
  await alice.sent(recipient, { expires_in: 3600 });
  expect((await resend(otp_id)).body).toMatchObject({ reason: 'resend_too_late' });
});

test('the limits of a recipient count resends, and credits pay them', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  const replies = [];
  for (let n = 0; n < 8; n += 1) replies.push((await resend(otp_id)).status);
  expect(replies).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
  const poor = await sender(service, 'Poor', { credits: 1, keys: 2 });
  const one = await poor.sent('poor@example.com');
  expect((await resend(one, {}, {}, poor)).status).toBe(402);
});

test('a resend repeated with its Idempotency-Key sends one message', async () => {
  const headers = { 'idempotency-key': 'once' };
  // A key belongs to one endpoint.
  const { otp_id } = (await alice.send(phone(), {}, headers)).body;
  const first = await resend(otp_id, {}, headers);
  const again = await resend(otp_id, {}, headers);
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(again.headers['idempotent-replayed']).toBe('true');
  const other = await alice.sent(phone());
  expect((await resend(other, {}, headers)).body).toMatchObject({ reason: 'idempotency_key_reused' });
});

test('a resend repeated with its Idempotency-Key gets its response after the verification has ended', async () => {
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const headers = { 'idempotency-key': 'late' };
  const first = await resend(otp_id, { channel: 'voice' }, headers);
  expect((await alice.verify(otp_id, await alice.code(recipient))).status).toBe(200);
  const again = await resend(otp_id, { channel: 'voice' }, headers);
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body]);
  expect((await resend(otp_id, {}, headers)).body).toMatchObject({ reason: 'idempotency_key_reused' });
  const verified = { status: 400, body: { reason: 'otp_already_verified' } };
  expect(await resend(otp_id, {}, { 'idempotency-key': 'new' })).toMatchObject(verified);
  expect(await resend(otp_id)).toMatchObject(verified);
});

test('a test verification that has used up its resends says when the next send is possible', async () => {
  const { body } = await service.call(createApiKey, {
    bearer: await signedIn(service, alice),
    body: { name: 'Test', mode: 'test' },
  });
  const apiKey = body.key;
  const sent = await service.call(sendOtp, { apiKey, body: { channel: 'sms', recipient: phone() } });
  const { otp_id } = sent.body;
  const again = () => service.call(resendOtp, { apiKey, params: { otp_id }, body: {} });
  let last = await again();
  for (let n = 1; n < 20; n += 1) last = await again();
  expect(last.status).toBe(200);
  await service.clock.advance(1_000);
  expect(await again()).toMatchObject({
    status: 429,
    body: { reason: 'recipient_rate_limited', retry_after: expect.any(Number) },
  });
  expect((await service.call(verifyOtp, { apiKey, body: { otp_id, code: '123456' } })).status).toBe(200);
});

test('webhooks name the verification and the resend, and tell its end once', async () => {
  const bearer = await signedIn(service, bob);
  await service.call(createWebhook, { bearer, body: { name: 'Hook', url: 'http://127.0.0.1:9/hook' } });
  const again = async (recipient: string) => {
    const otp_id = await bob.sent(recipient);
    const { resend_id } = (await resend(otp_id, {}, {}, bob)).body;
    await service.drain();
    return { otp_id, resend_id };
  };
  const tried = await again('tried@example.com');
  const wrong = wrongCode(await bob.code('tried@example.com'));
  for (let n = 0; n < 5; n += 1) await bob.verify(tried.otp_id, wrong);
  const unused = await again('bob@example.com');
  await service.clock.advance(301_000);
  await service.drain();
  for (const [{ otp_id, resend_id }, end] of [
    [tried, 'otp.failed'],
    [unused, 'otp.expired'],
  ] as const) {
    const messages = await service.app.db.rows<{ type: string; resend: string | null }>(
      `select type, body #>> '{data,resend_id}' as resend from webhook_messages
       where account_id = $1 and body #>> '{data,otp_id}' = $2 order by type, resend nulls first`,
      [bob.account_id, otp_id],
    );
    expect(messages).toEqual([
      { type: end, resend: null },
      { type: 'otp.sent', resend: null },
      { type: 'otp.sent', resend: resend_id },
    ]);
  }
});
