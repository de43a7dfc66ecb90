import { verifyOtp } from '@sixdigit/contract/otp.ts';
import { describe, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender, wrongCode } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { report } from '../reports/reports.ts';

let count = 0;

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));
const bob = fixture(() => sender(service, 'Bob'));

const REQUIRED = ['This field is required.'];
const notFound = { status: 404, body: { error: 'OTP not found', reason: 'otp_not_found' } };
const verified = { status: 400, body: { error: 'OTP already verified', reason: 'otp_already_verified' } };
const closed = { status: 400, body: { error: 'OTP is no longer valid', reason: 'otp_closed' } };
const usedUp = {
  status: 400,
  body: { error: 'Maximum verification attempts exceeded', reason: 'max_attempts_reached' },
};
const expired = { status: 400, body: { error: 'OTP has expired', reason: 'otp_expired' } };
const wrong = (attempts_remaining: number) => ({
  status: 400,
  body: { error: 'Invalid OTP code', reason: 'invalid_code', attempts_remaining },
});
const exactly = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** A code that has been delivered by mail. */
async function received(more: Record<string, unknown> = {}) {
  const recipient = `reader-${++count}@example.com`;
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  return { otp_id, recipient, code: await alice.code(recipient) };
}

const setLength = (length: number) =>
  service.app.db.run('update accounts set default_otp_length = $2 where id = $1', [alice.account_id, length]);
const triesUsed = async (recipient: string) =>
  (
    await service.app.db.one<{ tries_used: number }>(
      'select tries_used from recipients where account_id = $1 and recipient = $2',
      [alice.account_id, recipient],
    )
  ).tries_used;

describe('the order of the checks of a verify', () => {
  test.each([
    [{}, { otp_id: REQUIRED, code: REQUIRED }],
    [{ otp_id: 'x' }, { code: REQUIRED }],
    [{ code: '123456' }, { otp_id: REQUIRED }],
    [
      { otp_id: '', code: '' },
      { otp_id: REQUIRED, code: REQUIRED },
    ],
    [
      { otp_id: ' ', code: ' - ' },
      { otp_id: REQUIRED, code: REQUIRED },
    ],
    [
      { otp_id: null, code: null },
      { otp_id: REQUIRED, code: REQUIRED },
    ],
  ])('a verify reports a missing field first: %j', async (body, fields) => {
    const answer = await service.call(verifyOtp, { apiKey: alice.key(), body });
    expect(exactly(answer)).toEqual({ status: 400, body: fields });
  });

  test.each([
    'not-an-id',
    '0',
    '../../etc/passwd',
    "' or 1=1 --",
    '00000000-0000-0000-0000-000000000000',
    '01941f29-7c00-7aaa-8bbb-0123456789ab',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '{01941f29-7c00-7aaa-8bbb-0123456789ab}',
    '01941f297c007aaa8bbb0123456789ab',
    '\0',
    '\ud800',
  ])('a verify of an unknown id returns 404: %j', async (otp_id) => {
    expect(exactly(await alice.verify(otp_id, '123456'))).toEqual(notFound);
  });

  test('a verify of another account’s id returns 404 and uses no try', async () => {
    const { otp_id, recipient, code } = await received();
    for (const guess of [code, wrongCode(code)])
      expect(exactly(await bob.verify(otp_id, guess))).toEqual(notFound);
    expect(await triesUsed(recipient)).toBe(0);
    expect((await alice.verify(otp_id, code)).status).toBe(200);
  });

  test('the id of a verify may have capital letters', async () => {
    const { otp_id, code } = await received();
    expect((await alice.verify(` ${otp_id.toUpperCase()} `, code)).status).toBe(200);
  });

  test('the right code verifies once and returns the time', async () => {
    const { otp_id, code } = await received();
    const answer = await alice.verify(otp_id, code);
    expect(exactly(answer)).toEqual({
      status: 200,
      body: { status: 'verified', verified_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), otp_id },
    });
    expect((await alice.state(otp_id)).verified_at).toBe(answer.body.verified_at);
    for (const again of [code, wrongCode(code), 'no digits'])
      expect(exactly(await alice.verify(otp_id, again))).toEqual(verified);
  });

  test('a verified code reports verified even after its expiry', async () => {
    const { otp_id, code } = await received({ expires_in: 60 });
    await alice.verify(otp_id, code);
    await service.clock.advance(61_000);
    expect(exactly(await alice.verify(otp_id, code))).toEqual(verified);
  });

  test('a canceled code reports canceled even after its expiry', async () => {
    const { otp_id, code } = await received({ expires_in: 60 });
    expect((await alice.cancel(otp_id)).status).toBe(200);
    expect(exactly(await alice.verify(otp_id, code))).toEqual(closed);
    await service.clock.advance(61_000);
    expect(exactly(await alice.verify(otp_id, code))).toEqual(closed);
  });

  test('a verify reports used-up tries before expiry, even for the right code', async () => {
    const { otp_id, code } = await received({ expires_in: 60 });
    for (const left of [4, 3, 2, 1, 0])
      expect(exactly(await alice.verify(otp_id, wrongCode(code, left + 1)))).toEqual(wrong(left));
    expect(exactly(await alice.verify(otp_id, code))).toEqual(usedUp);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', failure: 'Too many wrong codes' });
    expect(await alice.balance()).toBe(
      100 - (await service.app.db.rows('select 1 from verifications')).length,
    );
    await service.clock.advance(61_000);
    expect(exactly(await alice.verify(otp_id, code))).toEqual(usedUp);
  });

  test('a verify reports expiry before errors in the code', async () => {
    const { otp_id } = await received({ expires_in: 60 });
    await service.clock.advance(60_000);
    for (const code of ['1', 'abc', '1234567', '123456'])
      expect(exactly(await alice.verify(otp_id, code))).toEqual(expired);
  });

  test('a code of another length is a field error that uses no try', async () => {
    const { otp_id, recipient, code } = await received();
    for (const odd of [
      '1',
      '12345',
      '1234567',
      'abcdef',
      '12345x',
      '½23456',
      '12.456',
      '+12345',
      '\ud800',
      1e9,
    ])
      expect(exactly(await alice.verify(otp_id, odd))).toEqual({
        status: 400,
        body: { code: ['Code must be 6 digits.'] },
      });
    for (const odd of [true, [], {}, -1, 1.5, 1e300]) {
      const answer = await alice.verify(otp_id, odd);
      expect(exactly(answer)).toEqual({ status: 400, body: { code: ['Code must be digits.'] } });
    }
    expect(await triesUsed(recipient)).toBe(0);
    expect((await alice.verify(otp_id, code)).status).toBe(200);
  });

  test('the right code on the last try succeeds', async () => {
    const { otp_id, code } = await received();
    for (const left of [4, 3, 2, 1])
      expect(exactly(await alice.verify(otp_id, wrongCode(code, left)))).toEqual(wrong(left));
    expect((await alice.verify(otp_id, code)).status).toBe(200);
  });
});

test.each([4, 5])('a code of %i digits allows three tries', async (length) => {
  await setLength(length);
  const { otp_id, code } = await received();
  expect(code).toHaveLength(length);
  for (const left of [2, 1, 0])
    expect(exactly(await alice.verify(otp_id, wrongCode(code, left + 1)))).toEqual(wrong(left));
  expect(exactly(await alice.verify(otp_id, code))).toEqual(usedUp);
  await setLength(6);
});

test('a code of eight digits allows five tries', async () => {
  await setLength(8);
  const { otp_id, code } = await received();
  expect(code).toHaveLength(8);
  expect(exactly(await alice.verify(otp_id, wrongCode(code)))).toEqual(wrong(4));
  await setLength(6);
});

test('a code verifies with spaces and dashes of any kind', async () => {
  for (const write of [
    (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)}\n`,
    (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
    (code: string) => [...code].join('‑'),
    (code: string) => [...code].join(' — '),
    (code: string) => [...code].join('\u00a0'),
  ]) {
    const { otp_id, code } = await received();
    expect((await alice.verify(otp_id, write(code))).status).toBe(200);
  }
});

test.each([
  ['Arabic', 0x0660],
  ['Persian', 0x06f0],
  ['Devanagari', 0x0966],
  ['full-width', 0xff10],
  ['mathematical bold', 0x1d7ce],
])('a code verifies with %s digits', async (_script, zero) => {
  const { otp_id, code } = await received();
  const written = [...code].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
  expect((await alice.verify(otp_id, written)).status).toBe(200);
});

test('a code verifies as a JSON number without its leading zeros', async () => {
  const { app } = service;
  const digits = app.random.digits;
  app.random.digits = () => '000042';
  const { otp_id, code } = await received();
  app.random.digits = digits;
  expect(code).toBe('000042');
  expect(exactly(await alice.verify(otp_id, 43))).toEqual(wrong(4));
  expect((await alice.verify(otp_id, 42)).status).toBe(200);
});

test('a code expires exactly to the millisecond', async () => {
  const { otp_id, code } = await received({ expires_in: 60 });
  const { expires_at } = await alice.state(otp_id);
  await stopDatabaseClock(service.databaseUrl, new Date(expires_at));
  expect(exactly(await alice.verify(otp_id, code))).toEqual(expired);
  await stopDatabaseClock(service.databaseUrl, new Date(Date.parse(expires_at) - 1));
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  await service.clock.advance(0);
});

describe('after a delivery failure', () => {
  /** The state after a failure report from the carrier. */
  async function undelivered() {
    const one = await received();
    await report(service.app, {
      carrier: 'sandbox',
      account_id: alice.account_id,
      otp_id: one.otp_id,
      state: 'undelivered',
      provider_message_id: null,
      reason: 'unreachable_handset',
    });
    expect(await alice.state(one.otp_id)).toMatchObject({
      status: 'failed',
      failure: 'Not delivered: unreachable handset',
      cost_credits: 0,
    });
    return one;
  }

  test('after a delivery failure, the right code still verifies and the refund stands', async () => {
    const { otp_id, code } = await undelivered();
    const before = await alice.balance();
    expect((await alice.verify(otp_id, code)).status).toBe(200);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'verified', failure: null, cost_credits: 0 });
    expect(await alice.balance()).toBe(before);
  });

  test('after a delivery failure, wrong codes count and the last one locks the verification', async () => {
    const { otp_id, code } = await undelivered();
    for (const left of [4, 3, 2, 1, 0])
      expect(exactly(await alice.verify(otp_id, wrongCode(code, left + 1)))).toEqual(wrong(left));
    expect(exactly(await alice.verify(otp_id, code))).toEqual(usedUp);
    expect((await alice.state(otp_id)).failure).toBe('Not delivered: unreachable handset');
  });

  test('after a delivery failure, the right code no longer verifies once it has expired', async () => {
    const { otp_id, code } = await undelivered();
    await service.clock.advance(300_000);
    await service.drain();
    expect(exactly(await alice.verify(otp_id, code))).toEqual(expired);
    expect((await alice.state(otp_id)).status).toBe('failed');
  });
});

test('a verify logs no error after its response', async () => {
  const late: unknown[][] = [];
  const { log } = service.server;
  const { error } = log;
  log.error = (...logged: unknown[]) => void late.push(logged);
  try {
    const { otp_id, code } = await received();
    expect(await alice.verify(otp_id, wrongCode(code))).toMatchObject(wrong(4));
    expect(await alice.verify(otp_id, code)).toMatchObject({ status: 200 });
  } finally {
    log.error = error;
  }
  expect(late).toEqual([]);
});
