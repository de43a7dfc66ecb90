import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { hunt } from '../../test/canary-hunt.ts';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';

let count = 0;
const recipientOf = (n: number) => `reader-${n}@example.com`;
const fresh = () => recipientOf(++count);
const key = () => ({ 'idempotency-key': `key-${++count}` });
const HOUR = 3_600_000;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 200, keys: 40 }));

const REUSED = {
  error: 'This Idempotency-Key was used with another request body',
  reason: 'idempotency_key_reused',
};
const triesUsed = async (recipient: string) =>
  (
    await service.app.db.one<{ tries_used: number }>(
      'select tries_used from recipients where account_id = $1 and recipient = $2',
      [alice.account_id, recipient],
    )
  ).tries_used;

test('a send repeated with one idempotency key creates one message, charges one credit and returns the same response', async () => {
  const before = await alice.balance();
  const recipient = fresh();
  const headers = key();
  const first = await alice.send(recipient, {}, headers);
  await service.drain();
  const again = await alice.send(recipient, {}, headers);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(await alice.balance()).toBe(before - 1);
  await service.drain();
  expect(await service.inbox(recipient)).toHaveLength(1);
});

test('the idempotent response does not change when the verification does', async () => {
  const recipient = fresh();
  const headers = key();
  const { body } = await alice.send(recipient, {}, headers);
  await service.drain();
  await alice.verify(body.otp_id, await alice.code(recipient));
  const again = await alice.send(recipient, {}, headers);
  expect(again.body).toEqual({ ...body, status: 'pending' });
});

test('parallel sends with one idempotency key on two processes create one message and charge one credit', async () => {
  const before = await alice.balance();
  const recipient = fresh();
  const headers = key();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, {
        apiKey: alice.key(),
        headers,
        body: { channel: 'email', recipient },
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(59);
  expect(await alice.balance()).toBe(before - 1);
  await service.drain();
  expect(await service.inbox(recipient)).toHaveLength(1);
});

test('an idempotency key is refused with another body or recipient, but not with another field order', async () => {
  const recipient = fresh();
  const headers = key();
  const { body } = await alice.send(recipient, { expires_in: 300, metadata: { a: '1', b: '2' } }, headers);
  for (const [to, more] of [
    [fresh(), { expires_in: 300, metadata: { a: '1', b: '2' } }],
    [recipient, { expires_in: 300, metadata: { a: '2', b: '1' } }],
    [recipient, {}],
  ] as const) {
    const answer = await alice.send(to, more, headers);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(REUSED);
  }
  const turned = await service.call(sendOtp, {
    apiKey: alice.key(),
    headers,
    body: { metadata: { b: '2', a: '1' }, expires_in: 300, recipient, channel: 'email' },
  });
  expect(turned.body).toEqual(body);
});

test('an idempotency key belongs to one account', async () => {
  const bob = await sender(service, 'Bob', { keys: 1 });
  const headers = key();
  const recipient = fresh();
  const [mine, his] = [await alice.send(recipient, {}, headers), await bob.send(recipient, {}, headers)];
  expect(his.status).toBe(201);
  expect(his.body.otp_id).not.toBe(mine.body.otp_id);
});

test('an idempotency key belongs to one endpoint', async () => {
  const headers = key();
  const recipient = fresh();
  const { body } = await alice.send(recipient, {}, headers);
  await service.drain();
  expect((await alice.verify(body.otp_id, await alice.code(recipient), headers)).status).toBe(200);
});

test('an idempotency key expires after 24 hours', async () => {
  const headers = key();
  const recipient = fresh();
  const first = await alice.send(recipient, {}, headers);
  await service.clock.advance(24 * HOUR - 10_000);
  expect((await alice.send(recipient, {}, headers)).body).toEqual(first.body);
  await service.clock.advance(10_000);
  const later = await alice.send(recipient, {}, headers);
  expect(later.status).toBe(201);
  expect(later.body.otp_id).not.toBe(first.body.otp_id);
  expect((await alice.send(recipient, {}, headers)).body).toEqual(later.body);
});

test('the responses 402 and 429 are not stored under an idempotency key', async () => {
  const poor = await sender(service, 'Poor', { credits: 0, keys: 2 });
  const headers = key();
  const recipient = fresh();
  expect((await poor.send(recipient, {}, headers)).status).toBe(402);
  await service.app.db.transaction(async (tx) => {
    await tx.run(
      `insert into ledger (account_id, id, kind, reference, credits, description, created_at)
       values ($1, $2, 'purchase', 'purchase:poor', 9, 'Purchase', clock_now())`,
      [poor.account_id, service.app.random.uuid()],
    );
    await tx.run('update balances set credits = 9 where account_id = $1', [poor.account_id]);
  });
  expect((await poor.send(recipient, {}, headers)).status).toBe(201);
  for (let n = 0; n < 4; n++) await poor.send(recipient);
  const limited = key();
  expect((await poor.send(recipient, {}, limited)).status).toBe(429);
  await service.clock.advance(10 * 60_000);
  expect((await poor.send(recipient, {}, limited)).status).toBe(201);
});

test('field errors are not stored under an idempotency key', async () => {
  const headers = key();
  expect((await alice.send('nobody', {}, headers)).status).toBe(400);
  expect((await alice.send(fresh(), {}, headers)).status).toBe(201);
});

test.each(['', ' ', 'a b', 'ü', 'x'.repeat(256)])(
  'an idempotency key must have 1 to 255 visible characters: %j',
  async (odd) => {
    const answer = await alice.send(fresh(), {}, { 'idempotency-key': odd });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ 'Idempotency-Key': ['Use 1 to 255 visible ASCII characters.'] });
  },
);

test('a request body nested thousands of levels deep causes no server error', async () => {
  const payload = `{"channel":"email","recipient":"${fresh()}","x":${'['.repeat(7000)}${']'.repeat(7000)}}`;
  const answer = await service.inject({
    method: 'POST',
    url: '/api/v1/otp/send/',
    headers: { 'x-api-key': alice.key(), 'content-type': 'application/json', ...key() },
    payload,
  });
  expect(answer.statusCode).toBe(201);
});

test('with one idempotency key, a repeated wrong code uses one try and a repeated right code succeeds once', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  const wrong = key();
  for (const replayed of [undefined, 'true', 'true']) {
    const answer = await alice.verify(otp_id, wrongCode(code), wrong);
    expect(answer.body).toMatchObject({ reason: 'invalid_code', attempts_remaining: 4 });
    expect(answer.headers['idempotent-replayed']).toBe(replayed);
  }
  expect(await triesUsed(recipient)).toBe(1);
  const right = key();
  const first = await alice.verify(otp_id, code, right);
  const again = await alice.verify(otp_id, code, right);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect((await alice.verify(otp_id, code)).body.reason).toBe('otp_already_verified');
  expect((await alice.verify(otp_id, wrongCode(code, 2), right)).body).toEqual(REUSED);
});

test('parallel verifies with one idempotency key on two processes use one try', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = wrongCode(await alice.code(recipient));
  const headers = key();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? service : other).call(verifyOtp, { apiKey: alice.key(), headers, body: { otp_id, code } }),
    ),
  );
  for (const { body } of answers)
    expect(body).toMatchObject({ reason: 'invalid_code', attempts_remaining: 4 });
  expect(await triesUsed(recipient)).toBe(1);
});

test('of parallel verifies of two recipients with one idempotency key, one is compared and the other is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const ids = [await alice.sent(fresh()), await alice.sent(fresh())];
    const headers = key();
    const answers = await Promise.all(
      ids.map((otp_id, n) =>
        (n ? service : other).call(verifyOtp, { apiKey: alice.key(), headers, body: { otp_id, code: '0' } }),
      ),
    );
    // A code of one digit is a field error, which is not stored.
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    const compared = await Promise.all(
      ids.map((otp_id, n) =>
        (n ? service : other).call(verifyOtp, {
          apiKey: alice.key(),
          headers,
          body: { otp_id, code: '000000' },
        }),
      ),
    );
    expect(compared.filter(({ body }) => body.reason === 'idempotency_key_reused')).toHaveLength(1);
  }
});

test('a stored response reveals neither the idempotency key nor the code', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  const headers = { 'idempotency-key': 'a-key-that-is-easy-to-find' };
  await alice.verify(otp_id, code, headers);
  const rows = await service.app.db.rows<{ t: string }>(
    'select to_jsonb(k)::text as t from idempotency_keys k',
  );
  const text = rows.map(({ t }) => t).join('\n');
  expect(text).not.toContain('a-key-that-is-easy-to-find');
  expect(text).not.toContain(Buffer.from('a-key-that-is-easy-to-find').toString('hex'));
  expect(text).not.toContain('"code"');
  expect(hunt([{ kind: 'code', text: code }], [{ name: 'idempotency keys', text }])).toEqual([]);
});
