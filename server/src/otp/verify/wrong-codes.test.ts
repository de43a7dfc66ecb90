import { verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender, wrongCode } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { WRONG_CODES_PER_DAY } from '../code.ts';

let count = 0;
const fresh = () => `reader-${++count}@example.com`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000, keys: 40 }));

async function received(recipient: string, by = alice) {
  const otp_id = await by.sent(recipient);
  await service.drain();
  return { otp_id, code: await by.code(recipient) };
}

/** Enters wrong codes for a recipient, five per code, and returns how many tries each left. */
async function guess(recipient: string, times: number, by = alice): Promise<number[]> {
  const left: number[] = [];
  while (left.length < times) {
    const { otp_id, code } = await received(recipient, by);
    for (let n = 1; n <= 5 && left.length < times; n++) {
      const { body } = await by.verify(otp_id, wrongCode(code, n));
      expect(body.reason).toBe('invalid_code');
      left.push(Number(body.attempts_remaining));
    }
    await service.clock.advance(11 * MINUTE);
  }
  return left;
}

test('25 wrong codes in a day block sends to the recipient until the first of them is a day old', async () => {
  const recipient = fresh();
  expect(await guess(recipient, 25)).toEqual(Array.from({ length: 5 }, () => [4, 3, 2, 1, 0]).flat());
  const before = await alice.balance();
  const refused = await alice.send(recipient);
  const retry_after = Number(refused.body.retry_after);
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    error: 'Too many codes for this recipient. Please try again later.',
    reason: 'recipient_rate_limited',
    retry_after,
  });
  expect(refused.headers['retry-after']).toBe(String(retry_after));
  // The five codes took 55 minutes.
  expect(retry_after).toBeGreaterThan(23 * 3600);
  expect(retry_after).toBeLessThanOrEqual(24 * 3600 - 54 * 60);
  expect(await alice.balance()).toBe(before);
  await service.clock.advance((retry_after - 60) * 1000);
  expect((await alice.send(recipient)).status).toBe(429);
  await service.clock.advance(60_000);
  await alice.sent(recipient);
});

test('the next code allows no more tries than the daily limit of wrong codes leaves', async () => {
  const recipient = fresh();
  await guess(recipient, 23);
  const { otp_id, code } = await received(recipient);
  expect((await alice.verify(otp_id, wrongCode(code, 1))).body.attempts_remaining).toBe(1);
  expect((await alice.verify(otp_id, wrongCode(code, 2))).body.attempts_remaining).toBe(0);
  expect((await alice.verify(otp_id, code)).body.reason).toBe('max_attempts_reached');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', failure: 'Too many wrong codes' });
});

test('a right code does not reset the count of wrong codes', async () => {
  const recipient = fresh();
  await guess(recipient, 24);
  const { otp_id, code } = await received(recipient);
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  await guess(recipient, 1);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('wrong codes for other accounts or recipients, and codes of a wrong length, do not count', async () => {
  const recipient = fresh();
  await guess(recipient, 25);
  const bob = await sender(service, 'Bob');
  await bob.sent(recipient);
  await alice.sent(fresh());
  const untouched = fresh();
  const { otp_id } = await received(untouched);
  for (let n = 0; n < 30; n++) await alice.verify(otp_id, '12345');
  await service.clock.advance(11 * MINUTE);
  await alice.sent(untouched);
});

test('wrong codes leave the sliding 24-hour window one at a time', async () => {
  const recipient = fresh();
  await guess(recipient, 5);
  await service.clock.advance(20 * HOUR);
  await guess(recipient, 20);
  expect((await alice.send(recipient)).status).toBe(429);
  await service.clock.advance(4 * HOUR);
  expect((await guess(recipient, 5)).length).toBe(5);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('of parallel wrong codes on two processes, at most 25 a day are compared', async () => {
  const recipient = fresh();
  let compared = 0;
  for (let round = 0; round < 7; round++) {
    const { status, body } = await alice.send(recipient);
    if (status === 429) break;
    await service.drain();
    const code = await alice.code(recipient);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 ? service : other).call(verifyOtp, {
          apiKey: alice.key(),
          body: { otp_id: body.otp_id, code: wrongCode(code, n + 1) },
        }),
      ),
    );
    for (const { body: answer } of answers) {
      if (answer.reason === 'invalid_code') compared += 1;
      else expect(answer.reason).toBe('max_attempts_reached');
    }
    await service.clock.advance(11 * MINUTE);
  }
  expect(compared).toBe(WRONG_CODES_PER_DAY);
  expect((await alice.send(recipient)).status).toBe(429);
});
