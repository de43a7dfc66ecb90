import { sendOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { eraseRecipient } from '../../deletion/deletion.ts';

let count = 0;
const fresh = () => `reader-${++count}@example.com`;
const MINUTE = 60_000;

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

test('the recipient limit allows five codes in ten minutes, and a send after the stated wait succeeds', async () => {
  const recipient = fresh();
  await alice.sent(recipient);
  await service.clock.advance(4 * MINUTE);
  for (let n = 0; n < 4; n++) await alice.sent(recipient);
  const before = await alice.balance();
  const refused = await alice.send(recipient);
  expect(refused.status).toBe(429);
  const retry_after = Number(refused.body.retry_after);
  expect(refused.body).toEqual({
    error: 'Too many codes for this recipient. Please try again later.',
    reason: 'recipient_rate_limited',
    retry_after,
  });
  expect(refused.headers['retry-after']).toBe(String(retry_after));
  expect(retry_after).toBeGreaterThan(6 * 60 - 30);
  expect(retry_after).toBeLessThanOrEqual(6 * 60);
  expect(await alice.balance()).toBe(before);
  await service.clock.advance((retry_after - 10) * 1000);
  expect((await alice.send(recipient)).status).toBe(429);
  await service.clock.advance(10_000);
  await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('the recipient limit allows twenty codes a day', async () => {
  const recipient = fresh();
  for (let n = 0; n < 20; n++) {
    await alice.sent(recipient);
    await service.clock.advance(5 * MINUTE);
  }
  await service.clock.advance(10 * MINUTE);
  const refused = await alice.send(recipient);
  expect(refused.status).toBe(429);
  const retry_after = Number(refused.body.retry_after);
  const rest = 24 * 3600 - 110 * 60;
  expect(retry_after).toBeGreaterThan(rest - 60);
  expect(retry_after).toBeLessThanOrEqual(rest);
  await service.clock.advance(retry_after * 1000);
  await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('the recipient limit counts all channels of one phone number together', async () => {
  const phone = '+14155552100';
  for (const channel of ['sms', 'voice', 'sms', 'voice', 'sms']) await alice.sent(phone, { channel });
  expect((await alice.send(phone, { channel: 'voice' })).status).toBe(429);
});

test('the recipient limit counts each account separately', async () => {
  const bob = await sender(service, 'Bob', { keys: 2 });
  const recipient = fresh();
  for (let n = 0; n < 5; n++) await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
  await bob.sent(recipient);
});

test('the recipient limit does not count refused and unpaid sends', async () => {
  const poor = await sender(service, 'Poor', { credits: 1, keys: 8 });
  const recipient = fresh();
  await poor.sent(recipient);
  for (let n = 0; n < 6; n++) expect((await poor.send(recipient)).status).toBe(402);
});

test('the recipient limit is configured by the operator', async () => {
  await using other = await testService({
    env: { RECIPIENT_SENDS_PER_10_MIN: '2', RECIPIENT_SENDS_PER_DAY: '3' },
  });
  const carol = await sender(other, 'Carol');
  const recipient = fresh();
  await carol.sent(recipient);
  await carol.sent(recipient);
  expect((await carol.send(recipient)).body.retry_after).toBeLessThanOrEqual(600);
  await other.clock.advance(10 * MINUTE);
  await carol.sent(recipient);
  await other.clock.advance(10 * MINUTE);
  expect((await carol.send(recipient)).body.retry_after).toBeGreaterThan(80_000);
});

const DAY = 24 * 60 * MINUTE;
const ACCOUNTS = 20;

let people: Sender[];
const phone = () => `+1415555${6000 + ++count}`;
const other = fixture(() => anotherProcess(service));
beforeAll(async () => {
  people = [];
  for (let n = 0; n < ACCOUNTS; n++) people.push(await sender(service, `Person${n}`, { keys: 4 }));
});

const person = (n: number) => people[n % ACCOUNTS] as Sender;
const tally = (answers: readonly { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
/** Sends of all accounts to these numbers in turn, all at once, on two processes. */
const allAtOnce = (numbers: readonly string[], times: number) =>
  Promise.all(
    Array.from({ length: times }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, {
        apiKey: person(Math.floor(n / 2)).key(),
        body: { channel: n % 3 ? 'sms' : 'voice', recipient: numbers[n % numbers.length] ?? '' },
      }),
    ),
  );
const spent = async () =>
  (await service.app.db.one<{ n: number }>(`select count(*)::integer as n from ledger where kind = 'usage'`))
    .n;

test('twenty accounts in parallel send one phone number at most ten codes in ten minutes, and pay for no more', async () => {
  const number = phone();
  const before = await spent();
  const answers = await allAtOnce([number], 160);
  expect(tally(answers)).toEqual({ 201: 10, 429: 150 });
  expect((await spent()) - before).toBe(10);
  for (const { status, body, headers } of answers)
    if (status === 429) {
      const { retry_after } = body;
      expect(body).toEqual({
        error: 'Too many codes for this recipient. Please try again later.',
        reason: 'recipient_rate_limited',
        retry_after,
      });
      expect(headers['retry-after']).toBe(String(retry_after));
      expect(Number(retry_after)).toBeLessThanOrEqual(600);
      expect(Number(retry_after)).toBeGreaterThan(500);
    }
});

test('many phone numbers in parallel each get ten codes, without a deadlock', async () => {
  const numbers = Array.from({ length: 6 }, phone);
  const answers = await allAtOnce(numbers, 6 * 40);
  expect(tally(answers)).toEqual({ 201: 60, 429: 180 });
  for (const number of numbers) {
    const { n } = await service.app.db.one<{ n: number }>(
      'select count(*)::integer as n from verifications where recipient = $1',
      [number],
    );
    expect(n).toBe(10);
  }
});

test('a phone number gets fifty codes a day from all accounts, and a send after the stated wait succeeds', async () => {
  const number = phone();
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < 5; n++) await person(round * 5 + n).sent(number);
    await service.clock.advance(10 * MINUTE);
  }
  const refused = await person(0).send(number);
  expect(refused.status).toBe(429);
  const retry_after = Number(refused.body.retry_after);
  expect(retry_after).toBeGreaterThan((DAY - 101 * MINUTE) / 1000);
  expect(retry_after).toBeLessThanOrEqual((DAY - 99 * MINUTE) / 1000);
  await service.clock.advance((retry_after - 30) * 1000);
  expect((await person(0).send(number)).status).toBe(429);
  await service.clock.advance(30_000);
  await person(0).sent(number);
});

test('an e-mail address has the same limit over all accounts, in any spelling', async () => {
  for (let n = 0; n < 10; n++) await person(n).sent(n % 2 ? 'Flooded@Example.com' : 'flooded@example.com');
  expect((await person(10).send('flooded@example.com')).status).toBe(429);
});

test('refused sends do not count towards the limit over all accounts', async () => {
  const number = phone();
  const poor = await sender(service, 'Poor', { credits: 0, keys: 12 });
  for (let n = 0; n < 12; n++) expect((await poor.send(number)).status).toBe(402);
  for (let n = 0; n < 10; n++) await person(n).sent(number);
});

test('the operator configures both limits over all accounts', async () => {
  await using small = await testService({
    env: { NUMBER_SENDS_PER_10_MIN: '2', NUMBER_SENDS_PER_DAY: '3' },
  });
  const three = await Promise.all(['Ann', 'Ben', 'Cat'].map((name) => sender(small, name)));
  const [ann, ben, cat] = three as [Sender, Sender, Sender];
  await ann.sent('+14155556900');
  await ben.sent('+14155556900');
  expect((await cat.send('+14155556900')).body.retry_after).toBeLessThanOrEqual(600);
  await small.clock.advance(10 * MINUTE);
  await cat.sent('+14155556900');
  await small.clock.advance(10 * MINUTE);
  expect((await ann.send('+14155556900')).body.retry_after).toBeGreaterThan(80_000);
});

test('the limit over all accounts stores a phone number only as a keyed hash, through an erasure, for a day', async () => {
  const number = phone();
  for (let n = 0; n < 10; n++) await person(n).sent(number);
  const { db } = service.app;
  const rows = await db.rows<{ t: string }>('select to_jsonb(r)::text as t from recipient_sends r');
  expect(rows.map(({ t }) => t).join('\n')).not.toContain(number.slice(1));
  await eraseRecipient(service.app, number);
  expect((await person(11).send(number)).status).toBe(429);
  await service.clock.advance(DAY + 61 * MINUTE);
  await service.drain();
  expect(await db.rows('select 1 from recipient_sends')).toEqual([]);
});
