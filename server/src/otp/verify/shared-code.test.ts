import { beforeEach, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

/** Several sends to one recipient share a code, so that any code the user received works. */
let recipient: string;
let count = 0;
const MINUTE = 60_000;

const service = fixture(() =>
  testService({
    env: { RECIPIENT_SENDS_PER_10_MIN: '50', RECIPIENT_SENDS_PER_DAY: '50', NUMBER_SENDS_PER_10_MIN: '50' },
  }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeEach(() => {
  recipient = `reader-${++count}@example.com`;
});

/** The ids of `times` sends, oldest first, and the codes that arrived. */
async function sentTimes(times: number, more?: Record<string, unknown>) {
  const ids: string[] = [];
  const codes: string[] = [];
  for (let n = 0; n < times; n++) {
    ids.push(await alice.sent(recipient, more));
    await service.drain();
    codes.push(await alice.code(recipient));
  }
  return { ids, codes, code: codes.at(-1) ?? '' };
}
const statuses = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => alice.state(id)))).map(({ status }) => status);

test('a send while a code is open has a new id, costs a credit and shares the code', async () => {
  const before = await alice.balance();
  const { ids, codes } = await sentTimes(3);
  expect(new Set(ids).size).toBe(3);
  expect(new Set(codes).size).toBe(1);
  expect(await alice.balance()).toBe(before - 3);
});

test('SMS and voice sends to one number share a code', async () => {
  const phone = '+14155552001';
  await alice.sent(phone);
  await alice.sent('(415) 555-2001', { channel: 'voice' });
  await service.drain();
  const [call, sms] = await service.inbox(phone);
  expect([call?.channel, sms?.channel]).toEqual(['voice', 'sms']);
  expect(call?.code).toBe(sms?.code);
});

test('accounts never share a code for the same recipient', async () => {
  const bob = await sender(service, 'Bob', { keys: 1 });
  const { code } = await sentTimes(1);
  const id = await bob.sent(recipient);
  for (let n = 0; n < 4; n++) await alice.verify((await sentTimes(1)).ids[0], wrongCode(code));
  await service.drain();
  expect((await bob.verify(id, wrongCode(await bob.code(recipient)))).body.attempts_remaining).toBe(4);
});

test('verifies of two accounts at once close the other ids of their own codes', async () => {
  const bob = await sender(service, 'Bob');
  // Batches sort by account in one place and by verification in another.
  const [later, earlier] = [alice, bob].toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1)) as [
    Sender,
    Sender,
  ];
  const recipients = Array.from({ length: 5 }, () => `reader-${++count}@example.com`);
  const sends = [];
  for (const by of [earlier, later]) {
    await service.clock.advance(1_000);
    for (const to of recipients) {
      const ids: [string, string] = [await by.sent(to), await by.sent(to)];
      await service.drain();
      sends.push({ by, ids, code: await by.code(to) });
    }
  }
  const answers = await Promise.all(sends.map(({ by, ids, code }) => by.verify(ids[1], code)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  for (const { by, ids } of sends) expect(await by.state(ids[0])).toMatchObject({ status: 'expired' });
});

test('a shared code verifies under any of its ids and closes the others without a webhook event', async () => {
  const { ids, code } = await sentTimes(3);
  const [first, second, third] = ids as [string, string, string];
  expect((await alice.verify(second, code)).status).toBe(200);
  expect(await statuses(ids)).toEqual(['expired', 'verified', 'expired']);
  for (const id of [first, third]) {
    const answer = await alice.verify(id, code);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'OTP is no longer valid', reason: 'otp_closed' });
    expect((await alice.history(id)).at(-1)).toEqual({ from: 'sent', to: 'expired', notes: 'Superseded' });
  }
});

test('tries count across all ids of a code, and the last wrong code fails them all', async () => {
  const { ids, code } = await sentTimes(2);
  const [first, second] = ids as [string, string];
  const left = [];
  for (const id of [first, second, second, first, second])
    left.push((await alice.verify(id, wrongCode(code))).body.attempts_remaining);
  expect(left).toEqual([4, 3, 2, 1, 0]);
  expect(await statuses(ids)).toEqual(['failed', 'failed']);
  for (const id of ids)
    expect((await alice.verify(id, code)).body).toEqual({
      error: 'Maximum verification attempts exceeded',
      reason: 'max_attempts_reached',
    });
});

test('tries count across SMS and voice for one phone number', async () => {
  const phone = '+14155552002';
  const sms = await alice.sent(phone);
  const call = await alice.sent(phone, { channel: 'voice' });
  await service.drain();
  const code = await alice.code(phone);
  expect((await alice.verify(sms, wrongCode(code))).body.attempts_remaining).toBe(4);
  expect((await alice.verify(call, wrongCode(code))).body.attempts_remaining).toBe(3);
  expect((await alice.verify(call, code)).status).toBe(200);
});

test('another send does not reset the used tries', async () => {
  const { ids, code } = await sentTimes(1);
  for (const left of [4, 3, 2, 1]) {
    const answer = await alice.verify(ids[0], wrongCode(code));
    expect(answer.body.attempts_remaining).toBe(left);
    await alice.sent(recipient);
  }
  expect((await alice.verify(await alice.sent(recipient), wrongCode(code))).body.attempts_remaining).toBe(0);
});

test.each([
  ['the previous code was verified', async (id: string, code: string) => void (await alice.verify(id, code))],
  [
    'the tries of the previous code were used up',
    async (id: string, code: string) => {
      for (let n = 0; n < 5; n++) await alice.verify(id, wrongCode(code));
    },
  ],
  ['the previous code expired', async () => service.clock.advance(5 * MINUTE)],
  ['it was canceled', async (id: string) => void (await alice.cancel(id))],
])('a send gets a new code with all tries once %s', async (_why, end) => {
  const { ids, code } = await sentTimes(1);
  await alice.verify(ids[0], wrongCode(code));
  await end(ids[0] ?? '', code);
  const codes = [];
  for (let n = 0; n < 2; n++) codes.push((await sentTimes(1)).code);
  // The same code recurs once in a million runs.
  expect(codes[0]).not.toBe(code);
  expect(codes[1]).toBe(codes[0]);
  const again = await alice.sent(recipient);
  expect((await alice.verify(again, wrongCode(codes[1] ?? ''))).body.attempts_remaining).toBe(4);
});

test('after ten minutes a send gets a new code, and both codes work until one is used', async () => {
  const { ids, code } = await sentTimes(1, { expires_in: 3600 });
  await service.clock.advance(10 * MINUTE - 10_000);
  expect((await sentTimes(1)).code).toBe(code);
  await service.clock.advance(10_000);
  const later = await sentTimes(1);
  expect(later.code).not.toBe(code);
  // Wrong tries count across both.
  expect((await alice.verify(ids[0], wrongCode(code))).body.attempts_remaining).toBe(4);
  expect((await alice.verify(later.ids[0], wrongCode(later.code))).body.attempts_remaining).toBe(3);
  // The code of one under the id of the other.
  expect((await alice.verify(ids[0], later.code)).status).toBe(200);
  expect((await alice.verify(later.ids[0], code)).body.reason).toBe('otp_closed');
});

test('after a verification expires, its code is not accepted for a later verification of the same recipient', async () => {
  const { code } = await sentTimes(1, { expires_in: 3600 });
  await service.clock.advance(10 * MINUTE);
  const later = await sentTimes(1, { expires_in: 3600 });
  await service.clock.advance(50 * MINUTE);
  expect((await alice.verify(later.ids[0], code)).body.reason).toBe('invalid_code');
  expect((await alice.verify(later.ids[0], later.code)).status).toBe(200);
});

test('codes of two lengths share the tries of the shorter code', async () => {
  const { ids, code } = await sentTimes(1, { expires_in: 3600 });
  const { db } = service.app;
  const setLength = (length: number) =>
    db.run('update accounts set default_otp_length = $2 where id = $1', [alice.account_id, length]);
  await setLength(4);
  expect((await sentTimes(1)).code).toBe(code);
  await service.clock.advance(10 * MINUTE);
  const short = await sentTimes(1);
  await setLength(6);
  expect(short.code).toHaveLength(4);
  const left = [];
  // Four digits under the id of the longer code count as tries of the shorter one.
  for (const guess of [wrongCode(short.code), wrongCode(code), wrongCode(short.code, 2)])
    left.push((await alice.verify(ids[0], guess)).body.attempts_remaining);
  expect(left).toEqual([2, 1, 0]);
  expect((await alice.verify(short.ids[0], short.code)).body.reason).toBe('max_attempts_reached');
});

test('after a delivery failure the next send has the same code', async () => {
  const { ids, code } = await sentTimes(1);
  await service.app.db.run(`update verifications set status = 'failed' where id = $1`, [ids[0]]);
  const again = await sentTimes(1);
  expect(again.code).toBe(code);
  expect((await alice.verify(again.ids[0], code)).status).toBe(200);
  expect(await alice.state(ids[0] ?? '')).toMatchObject({ status: 'failed' });
  expect((await alice.verify(ids[0], code)).body.reason).toBe('otp_closed');
});

test('a message superseded before its dispatch is not sent, and its credit is refunded', async () => {
  const { code } = await sentTimes(1);
  const waiting = await alice.sent(recipient);
  const before = await alice.balance();
  const { ids } = await sentTimes(0);
  expect(ids).toEqual([]);
  const [first] = await service.app.db.rows<{ id: string }>(
    'select id from verifications where recipient = $1 order by id',
    [recipient],
  );
  await alice.verify(first?.id, code);
  const messages = (await service.inbox(recipient)).length;
  await service.drain();
  expect((await service.inbox(recipient)).length).toBe(messages);
  expect(await alice.balance()).toBe(before + 1);
  expect(await alice.state(waiting)).toMatchObject({ status: 'expired', cost_credits: 0 });
});

test('a code is sent and verified with its leading zeros', async () => {
  const { random } = service.app;
  const { digits } = random;
  random.digits = (length) => '0'.repeat(length);
  const { ids, code } = await sentTimes(1);
  random.digits = digits;
  expect(code).toBe('000000');
  expect((await alice.verify(ids[0], '000000')).status).toBe(200);
});
