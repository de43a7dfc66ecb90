import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { sender } from '../../../test/sender.ts';
import { otpJobs } from '../jobs.ts';

/** A code is retried until shortly before it expires while its carriers are unavailable. */
type Name = 'smtp' | 'twilio' | 'http';
const names: Name[] = ['smtp', 'twilio', 'http'];
let count = 0;
const phone = () => `+1415555${5000 + ++count}`;
const mailbox = (local = 'reader') => `${local}+${++count}@example.com`;

/** A service whose channels have one carrier each, or a channel with several in this order. */
async function outage(carriers: readonly Name[], env: Record<string, string> = {}) {
  const all = await serviceWithCarriers(carriers, env);
  const alice = await sender(all.service, 'Alice', { credits: 1000 });
  const jobs = otpJobs(all.service.app);
  const work = async () => {
    for (const job of jobs) {
      while (await job.run(all.service.worker));
      await job.idle?.();
    }
  };
  /** Advances the clock in the steps of a polling worker. */
  const pass = async (seconds: number, step = 5) => {
    for (let passed = 0; passed < seconds; passed += step) {
      await all.service.clock.advance(Math.min(step, seconds - passed) * 1000);
      await work();
    }
  };
  return { all, alice, work, pass, service: all.service };
}
type Outage = Awaited<ReturnType<typeof outage>>;

const takenBy = ({ smtp, twilio, http }: ServiceWithCarriers, name: Name, recipient: string): number =>
  name === 'smtp' ? smtp.mailsTo(recipient).length : { twilio, http }[name].messagesTo(recipient).length;
const portOf = (all: ServiceWithCarriers, name: Name): number => Number(new URL(all[name].url).port);

describe.each(names)('while the only carrier is unavailable: %s', (name) => {
  let at: Outage;
  let before: number;
  let recipient: string;
  beforeAll(async () => {
    at = await outage([name]);
  });
  afterAll(() => at.all[Symbol.asyncDispose]());
  beforeEach(async () => {
    // Leaves the breaker window of the previous test.
    await at.pass(60, 30);
    before = await at.alice.balance();
    recipient = name === 'smtp' ? mailbox() : phone();
  });

  /** Sends a code while nothing listens at the carrier's port; returns its id and a function that starts the carrier. */
  async function sentIntoOutage() {
    const port = portOf(at.all, name);
    await at.all[name].close();
    const otp_id = await at.alice.sent(recipient);
    await at.work();
    return { otp_id, recover: () => at.all[name].start(port) };
  }

  test.each([
    [30, 20],
    [120, 40],
  ])(
    'for %d seconds, a code arrives exactly once within %d seconds of the recovery',
    async (seconds, within) => {
      const { otp_id, recover } = await sentIntoOutage();
      await at.pass(seconds, seconds / 6);
      expect((await at.alice.state(otp_id)).status).toBe('pending');
      await recover();
      await at.pass(within);
      expect(await at.alice.state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 1 });
      await at.pass(60, 30);
      expect(takenBy(at.all, name, recipient)).toBe(1);
      expect(await at.alice.balance()).toBe(before - 1);
    },
  );

  test('past the expiry, a code fails with its cause and one refund, and is never sent', async () => {
    const { otp_id, recover } = await sentIntoOutage();
    await at.pass(200, 20);
    expect((await at.alice.state(otp_id)).status).toBe('pending');
    await at.pass(110, 10);
    expect(await at.alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
    const { failure } = await at.service.app.db.one<{ failure: string }>(
      'select failure from verifications where id = $1',
      [otp_id],
    );
    expect(failure).toMatch(/^(The mail server|Twilio|The HTTP carrier) /);
    await recover();
    await at.pass(60, 20);
    expect(takenBy(at.all, name, recipient)).toBe(0);
    expect(await at.alice.balance()).toBe(before);
    const refunds = await at.service.app.db.rows(`select 1 from ledger where reference = $1`, [
      `refund:${otp_id}`,
    ]);
    expect(refunds).toHaveLength(1);
  });
});

test('a mail greylisted for 20 seconds is retried and accepted', async () => {
  const { all, alice, work, pass } = await outage(['smtp']);
  await using _all = all;
  const recipient = mailbox();
  all.smtp.everyone = 'defer';
  const otp_id = await alice.sent(recipient);
  await work();
  await pass(20);
  expect((await alice.state(otp_id)).status).toBe('pending');
  all.smtp.everyone = undefined;
  await pass(20);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(all.smtp.mailsTo(recipient)).toHaveLength(1);
});

describe('with two carriers', () => {
  let at: Outage;
  beforeAll(async () => {
    at = await outage(['twilio', 'http']);
  });
  afterAll(() => at.all[Symbol.asyncDispose]());
  beforeEach(async () => {
    at.all.twilio.everyone = at.all.http.everyone = undefined;
    at.all.http.retryAfter = '1';
    await at.pass(60, 30);
  });

  test('only the unavailable one is retried, not the one that refused permanently', async () => {
    const { all, alice } = at;
    all.twilio.everyone = 'refuse';
    all.http.everyone = 'error';
    const recipient = phone();
    const asked = all.twilio.requests;
    const otp_id = await alice.sent(recipient);
    await at.work();
    await at.pass(40);
    expect(all.twilio.requests - asked).toBe(1);
    expect((await alice.state(otp_id)).status).toBe('pending');
    all.http.everyone = undefined;
    await at.pass(40);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(all.http.messagesTo(recipient)).toHaveLength(1);
  });

  test('the first to recover sends the code', async () => {
    const { all, alice } = at;
    all.twilio.everyone = all.http.everyone = 'error';
    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    await at.work();
    await at.pass(60);
    all.twilio.everyone = undefined;
    await at.pass(40);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
    expect(all.http.messagesTo(recipient)).toEqual([]);
  });

  test('a requested pause is respected for at most 30 seconds while the other carrier sends the messages', async () => {
    const { all, alice } = at;
    all.twilio.everyone = 'unauthorized';
    all.http.everyone = 'limit';
    all.http.retryAfter = '20';
    const first = await alice.sent(phone());
    await at.work();
    const asked = all.http.requests;
    all.http.everyone = undefined;
    await at.pass(18);
    expect(all.http.requests).toBe(asked);
    await at.pass(20);
    expect((await alice.state(first)).status).toBe('sent');

    all.http.everyone = 'limit';
    all.http.retryAfter = '86400';
    const second = await alice.sent(phone());
    await at.work();
    all.http.everyone = all.twilio.everyone = undefined;
    const third = await alice.sent(phone());
    await at.work();
    expect((await alice.state(third)).status).toBe('sent');
    await at.pass(70);
    expect((await alice.state(second)).status).toBe('sent');
  });
});

test('the second permanent refusal fails the code at once', async () => {
  const { all, alice, work, pass } = await outage(['twilio', 'http']);
  await using _all = all;
  all.twilio.everyone = 'refuse';
  all.http.everyone = 'error';
  const before = await alice.balance();
  const otp_id = await alice.sent(phone());
  await work();
  expect((await alice.state(otp_id)).status).toBe('pending');
  all.http.everyone = 'refuse';
  await pass(5);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
});

test('with hundreds of messages waiting, an unavailable carrier gets one probe in ten seconds, and all arrive after its recovery', async () => {
  const { all, alice, work, pass } = await outage(['twilio']);
  await using _all = all;
  all.twilio.everyone = 'error';
  const recipients = Array.from({ length: 300 }, phone);
  await Promise.all(recipients.map((recipient) => alice.sent(recipient)));
  await work();
  // One batch was in flight when the breaker opened.
  const asked = all.twilio.requests;
  expect(asked).toBeLessThanOrEqual(128);
  await pass(60);
  expect(all.twilio.requests - asked).toBeLessThanOrEqual(7);
  expect(all.twilio.requests - asked).toBeGreaterThanOrEqual(5);
  all.twilio.everyone = undefined;
  await pass(45);
  expect(recipients.filter((recipient) => all.twilio.messagesTo(recipient).length !== 1)).toEqual([]);
});
