import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../test/sender.ts';
import { type TestService, testService } from '../../test/service.ts';

/** Parallel requests on two processes. */
let count = 0;
const phone = () => `+1415555${3000 + ++count}`;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));

/** Runs in parallel, alternating between both processes, each time with the next key. */
const atOnce = <T>(times: number, one: (n: number, on: Pick<TestService, 'call'>) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => one(n, n % 2 === 0 ? service : other)));

const tally = (answers: readonly { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

async function received(by: Sender, recipient = phone()) {
  const otp_id = await by.sent(recipient);
  await service.drain();
  return { otp_id, recipient, code: await by.code(recipient) };
}

test('of 1,000 parallel sends over 40 keys at a balance of 1, one returns 201 and 999 return 402', async () => {
  const alice = await sender(service, 'Alice', { credits: 1, keys: 40 });
  const answers = await atOnce(1000, (n, on) =>
    on.call(sendOtp, {
      apiKey: alice.key(),
      body: { channel: 'sms', recipient: `+1415555${4000 + n}` },
    }),
  );
  expect(tally(answers)).toEqual({ 201: 1, 402: 999 });
  for (const { status, body } of answers)
    if (status === 402)
      expect(body).toEqual({ error: 'Insufficient credits', reason: 'insufficient_credits' });
  expect(await alice.balance()).toBe(0);
  expect(await alice.entries()).toEqual([
    ['welcome', 1],
    ['usage', -1],
  ]);
});

test('of 200 parallel right codes, one returns 200', async () => {
  const bob = await sender(service, 'Bob', { keys: 40 });
  const { otp_id, code } = await received(bob);
  const answers = await atOnce(200, (_, on) =>
    on.call(verifyOtp, { apiKey: bob.key(), body: { otp_id, code } }),
  );
  expect(tally(answers)).toEqual({ 200: 1, 400: 199 });
  for (const { status, body } of answers)
    if (status === 400) expect(body.reason).toBe('otp_already_verified');
  expect((await bob.history(otp_id)).map(({ to }) => to)).toEqual(['pending', 'sent', 'verified']);
});

test('of 200 parallel right codes over two ids of one code, one returns 200', async () => {
  const carol = await sender(service, 'Carol', { keys: 40 });
  const { otp_id, recipient, code } = await received(carol);
  const second = await carol.sent(recipient);
  const answers = await atOnce(200, (n, on) =>
    on.call(verifyOtp, { apiKey: carol.key(), body: { otp_id: n % 3 ? otp_id : second, code } }),
  );
  expect(tally(answers)).toEqual({ 200: 1, 400: 199 });
});

test('of 1,000 parallel wrong codes over 40 keys, five are compared', async () => {
  const dave = await sender(service, 'Dave', { keys: 40 });
  const { otp_id, code } = await received(dave);
  const answers = await atOnce(1000, (n, on) =>
    on.call(verifyOtp, { apiKey: dave.key(), body: { otp_id, code: wrongCode(code, n + 1) } }),
  );
  expect(tally(answers)).toEqual({ 400: 1000 });
  const compared = answers.filter(({ body }) => body.reason === 'invalid_code');
  expect(compared.map(({ body }) => body.attempts_remaining).sort()).toEqual([0, 1, 2, 3, 4]);
  const rest = answers.filter(({ body }) => body.reason === 'max_attempts_reached');
  expect(rest).toHaveLength(995);
  expect((await dave.history(otp_id)).map(({ to }) => to)).toEqual(['pending', 'sent', 'failed']);
});

test('a right code among parallel wrong ones either verifies or is too late, never both', async () => {
  const erin = await sender(service, 'Erin', { keys: 40 });
  for (let round = 0; round < 10; round++) {
    const { otp_id, code } = await received(erin);
    const answers = await atOnce(16, (n, on) =>
      on.call(verifyOtp, {
        apiKey: erin.key(),
        body: { otp_id, code: n === 7 + (round % 3) ? code : wrongCode(code, n + 1) },
      }),
    );
    const wins = answers.filter(({ status }) => status === 200).length;
    const wrong = answers.filter(({ body }) => body.reason === 'invalid_code').length;
    const { status } = await erin.state(otp_id);
    if (wins === 1) expect(wrong).toBeLessThan(5);
    else expect([wins, wrong]).toEqual([0, 5]);
    expect(status).toBe(wins === 1 ? 'verified' : 'failed');
  }
});

test('parallel sends to one recipient on two processes never create two codes', async () => {
  const frank = await sender(service, 'Frank', { keys: 40, credits: 1000 });
  for (let round = 0; round < 20; round++) {
    const recipient = phone();
    const answers = await atOnce(5, (_, on) =>
      on.call(sendOtp, { apiKey: frank.key(), body: { channel: 'sms', recipient } }),
    );
    expect(tally(answers)).toEqual({ 201: 5 });
    const { codes } = await service.app.db.one<{ codes: number }>(
      'select count(distinct code_hmac) as codes from verifications where recipient = $1',
      [recipient],
    );
    expect(codes).toBe(1);
  }
});

test('the recipient limit is exact across two processes', async () => {
  const grace = await sender(service, 'Grace', { keys: 40, credits: 1000 });
  const recipient = phone();
  const answers = await atOnce(100, (_, on) =>
    on.call(sendOtp, { apiKey: grace.key(), body: { channel: 'sms', recipient } }),
  );
  expect(tally(answers)).toEqual({ 201: 5, 429: 95 });
  expect(await grace.balance()).toBe(995);
});

test('parallel sends, verifies and cancels of the same recipients complete without an error', async () => {
  const heidi = await sender(service, 'Heidi', { keys: 40, credits: 1000 });
  const lives = await Promise.all(Array.from({ length: 12 }, () => received(heidi)));
  const answers = await atOnce(240, async (n, on) => {
    const { otp_id, recipient, code } = lives[n % lives.length] as (typeof lives)[number];
    const apiKey = heidi.key();
    if (n % 4 === 0) return on.call(sendOtp, { apiKey, body: { channel: 'sms', recipient } });
    if (n % 11 === 0) return heidi.cancel(otp_id);
    return on.call(verifyOtp, { apiKey, body: { otp_id, code: n % 5 ? wrongCode(code, n) : code } });
  });
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  await service.drain();
  const { db } = service.app;
  const torn = await db.rows(
    `select v.id from verifications v where v.account_id = $1
     and (v.status = 'verified') <> (v.verified_at is not null)`,
    [heidi.account_id],
  );
  expect(torn).toEqual([]);
});
