import { beforeEach, describe, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
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
  const service = await serviceWithCarriers(carriers, env);
  const alice = await sender(service, 'Alice', { credits: 1000 });
  const jobs = otpJobs(service.app);
  const work = async () => {
    for (const job of jobs) {
      while (await job.run(service.worker));
      await job.idle?.();
    }
  };
  /** Advances the clock in the steps of a polling worker. */
  const pass = async (seconds: number, step = 5) => {
    for (let passed = 0; passed < seconds; passed += step) {
      await service.clock.advance(Math.min(step, seconds - passed) * 1000);
      await work();
    }
  };
  return { service, alice, work, pass, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const takenBy = ({ smtp, twilio, http }: ServiceWithCarriers, name: Name, recipient: string): number =>
  name === 'smtp' ? smtp.mailsTo(recipient).length : { twilio, http }[name].messagesTo(recipient).length;
const portOf = (service: ServiceWithCarriers, name: Name): number => Number(new URL(service[name].url).port);

describe.each(names)('while the only carrier is unavailable: %s', (name) => {
  const at = fixture(() => outage([name]));
  let before: number;
  let recipient: string;
  beforeEach(async () => {
    // Leaves the breaker window of the previous test.
    await at.pass(60, 30);
    before = await at.alice.balance();
    recipient = name === 'smtp' ? mailbox() : phone();
  });

  /** Sends a code while nothing listens at the carrier's port; returns its id and a function that starts the carrier. */
  async function sentIntoOutage() {
    const port = portOf(at.service, name);
    await at.service[name].close();
    const otp_id = await at.alice.sent(recipient);
    await at.work();
    return { otp_id, recover: () => at.service[name].start(port) };
  }

  test.each([
    [30, 20],
    [120, 40],
  ])(
    `after ${name} was unavailable for %d seconds, a code arrives exactly once within %d seconds of the recovery`,
    async (seconds, within) => {
      const { otp_id, recover } = await sentIntoOutage();
      await at.pass(seconds, seconds / 6);
      expect((await at.alice.state(otp_id)).status).toBe('pending');
      await recover();
      await at.pass(within);
      expect(await at.alice.state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 1 });
      await at.pass(60, 30);
      expect(takenBy(at.service, name, recipient)).toBe(1);
      expect(await at.alice.balance()).toBe(before - 1);
    },
  );

  test('a code that expires while its only carrier is unavailable fails with the cause and one refund', async () => {
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
    expect(takenBy(at.service, name, recipient)).toBe(0);
    expect(await at.alice.balance()).toBe(before);
    const refunds = await at.service.app.db.rows(`select 1 from ledger where reference = $1`, [
      `refund:${otp_id}`,
    ]);
    expect(refunds).toHaveLength(1);
  });
});

test('a mail greylisted for 20 seconds is retried and accepted', async () => {
  await using at = await outage(['smtp']);
  const { service, alice, work, pass } = at;
  const recipient = mailbox();
  service.smtp.everyone = 'defer';
  const otp_id = await alice.sent(recipient);
  await work();
  await pass(20);
  expect((await alice.state(otp_id)).status).toBe('pending');
  service.smtp.everyone = undefined;
  await pass(20);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(service.smtp.mailsTo(recipient)).toHaveLength(1);
});

describe('with two carriers', () => {
  const at = fixture(() => outage(['twilio', 'http']));
  beforeEach(async () => {
    at.service.twilio.everyone = at.service.http.everyone = undefined;
    at.service.http.retryAfter = '1';
    await at.pass(60, 30);
  });

  test('of two carriers, only the unavailable one is retried, not the one that refused permanently', async () => {
    const { service, alice } = at;
    service.twilio.everyone = 'refuse';
    service.http.everyone = 'error';
    const recipient = phone();
    const asked = service.twilio.requests;
    const otp_id = await alice.sent(recipient);
    await at.work();
    await at.pass(40);
    expect(service.twilio.requests - asked).toBe(1);
    expect((await alice.state(otp_id)).status).toBe('pending');
    service.http.everyone = undefined;
    await at.pass(40);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
  });

  test('the first of two unavailable carriers to recover sends the code', async () => {
    const { service, alice } = at;
    service.twilio.everyone = service.http.everyone = 'error';
    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    await at.work();
    await at.pass(60);
    service.twilio.everyone = undefined;
    await at.pass(40);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
    expect(service.http.messagesTo(recipient)).toEqual([]);
  });

  test('a carrier’s Retry-After is respected for at most 30 seconds while the other carrier sends the messages', async () => {
    const { service, alice } = at;
    service.twilio.everyone = 'unauthorized';
    service.http.everyone = 'limit';
    service.http.retryAfter = '20';
    const first = await alice.sent(phone());
    await at.work();
    const asked = service.http.requests;
    service.http.everyone = undefined;
    await at.pass(18);
    expect(service.http.requests).toBe(asked);
    await at.pass(20);
    expect((await alice.state(first)).status).toBe('sent');

    service.http.everyone = 'limit';
    service.http.retryAfter = '86400';
    const second = await alice.sent(phone());
    await at.work();
    service.http.everyone = service.twilio.everyone = undefined;
    const third = await alice.sent(phone());
    await at.work();
    expect((await alice.state(third)).status).toBe('sent');
    await at.pass(70);
    expect((await alice.state(second)).status).toBe('sent');
  });
});

test('the second permanent refusal fails a code immediately', async () => {
  await using at = await outage(['twilio', 'http']);
  const { service, alice, work, pass } = at;
  service.twilio.everyone = 'refuse';
  service.http.everyone = 'error';
  const before = await alice.balance();
  const otp_id = await alice.sent(phone());
  await work();
  expect((await alice.state(otp_id)).status).toBe('pending');
  service.http.everyone = 'refuse';
  await pass(5);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
});

test('an unavailable carrier gets one probe per ten seconds, and hundreds of waiting messages arrive after its recovery', async () => {
  await using at = await outage(['twilio']);
  const { service, alice, work, pass } = at;
  service.twilio.everyone = 'error';
  const recipients = Array.from({ length: 200 }, phone);
  await Promise.all(recipients.map((recipient) => alice.sent(recipient)));
  await work();
  // One batch was in flight when the breaker opened.
  const asked = service.twilio.requests;
  expect(asked).toBeLessThanOrEqual(128);
  await pass(60);
  expect(service.twilio.requests - asked).toBeLessThanOrEqual(7);
  expect(service.twilio.requests - asked).toBeGreaterThanOrEqual(5);
  service.twilio.everyone = undefined;
  await pass(45);
  expect(recipients.filter((recipient) => service.twilio.messagesTo(recipient).length !== 1)).toEqual([]);
});
