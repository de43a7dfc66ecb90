import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';

/** The connection breaks during the commit. Its outcome is unknown, and the batch is retried. */
let count = 0;
/** The fate of the next commit of a batch. */
let next: 'committed, response lost' | 'not committed' | undefined;

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));
beforeAll(async () => {
  const { db } = service.app;
  const { connection } = db;
  db.connection = async () => {
    const real = await connection();
    return {
      ...real,
      async script(text) {
        const fate = next;
        if (fate === undefined || !text.endsWith('COMMIT')) return real.script(text);
        next = undefined;
        if (fate === 'committed, response lost') await real.script(text);
        throw new Error('Connection terminated unexpectedly');
      },
    };
  };
});
beforeEach(() => {
  next = undefined;
});

const fates = ['committed, response lost', 'not committed'] as const;
const fresh = () => `reader-${++count}@example.com`;
async function received() {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  return { otp_id, recipient, code: await alice.code(recipient) };
}
async function logged(otp_id: string) {
  await service.app.requestLog.flush();
  return service.app.db.rows(
    `select response_status_code as status, reason from request_logs where otp_id = $1 and request_type = 'verify_otp' order by id`,
    [otp_id],
  );
}

test.each(fates)('sends are accepted once if their commit is "%s"', async (fate) => {
  const before = await alice.balance();
  const recipients = [fresh(), fresh(), fresh()];
  next = fate;
  const answers = await Promise.all(recipients.map((recipient) => alice.send(recipient)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(next).toBeUndefined();
  expect(await alice.balance()).toBe(before - 3);
  await service.drain();
  for (const [n, recipient] of recipients.entries()) {
    expect(await service.inbox(recipient)).toHaveLength(1);
    const { otp_id, expires_at } = answers[n]?.body ?? { otp_id: '', expires_at: '' };
    expect((await alice.state(otp_id)).expires_at).toBe(expires_at);
    expect((await alice.verify(otp_id, await alice.code(recipient))).status).toBe(200);
  }
});

test.each(fates)('a right code succeeds once if its commit is "%s"', async (fate) => {
  const { otp_id, code } = await received();
  next = fate;
  const answer = await alice.verify(otp_id, code);
  expect(next).toBeUndefined();
  expect(answer.status).toBe(200);
  expect((await alice.state(otp_id)).verified_at).toBe(answer.body.verified_at);
  expect((await alice.verify(otp_id, code)).body.reason).toBe('otp_already_verified');
  expect(await logged(otp_id)).toEqual([
    { status: 200, reason: null },
    { status: 400, reason: 'otp_already_verified' },
  ]);
});

test.each(fates)('a wrong code uses one try if its commit is "%s"', async (fate) => {
  const { otp_id, code } = await received();
  next = fate;
  expect((await alice.verify(otp_id, wrongCode(code))).body.attempts_remaining).toBe(4);
  expect((await alice.verify(otp_id, wrongCode(code))).body.attempts_remaining).toBe(3);
  expect(await logged(otp_id)).toHaveLength(2);
});

test.each(fates)('a batch of verifies returns each decision if its commit is "%s"', async (fate) => {
  const lives = await Promise.all([received(), received(), received()]);
  next = fate;
  const answers = await Promise.all([
    ...lives.map(({ otp_id, code }, n) => alice.verify(otp_id, n === 1 ? wrongCode(code) : code)),
    alice.verify('01941f29-7c00-7aaa-8bbb-0123456789ab', '123456'),
  ]);
  expect(next).toBeUndefined();
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 404]);
});

test.each(fates)('an unknown id in a batch is not found if the commit is "%s"', async (fate) => {
  next = fate;
  const answer = await alice.verify('01941f29-7c00-7aaa-8bbb-0123456789ab', '123456');
  expect(answer.body.reason).toBe('otp_not_found');
});
