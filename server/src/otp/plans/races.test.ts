import { resendOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { releaseClaimsOfDeadWorkers } from '../../platform/queue/work.ts';
import { eraseRecipientFromSends } from '../upkeep.ts';
import { startNext } from './next.ts';
import { claimPlans, freeUnknownPlans } from './queries.ts';

/** Plans that two processes, verifies and cancels take at the same time. */
const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 10_000, keys: 40 }));

let count = 0;
const phone = () => `+1415555${3000 + ++count}`;
const ROUNDS = 12;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Plans whose next step is due. */
async function duePlans() {
  const plans = await Promise.all(
    Array.from({ length: ROUNDS }, async () => {
      const recipient = phone();
      const { body } = await service.call(sendOtp, {
        apiKey: alice.key(),
        body: { recipient, channels: ['sms', 'voice'] },
      });
      return { id: body.otp_id, account_id: alice.account_id, recipient };
    }),
  );
  await service.deliver();
  await service.clock.advance(61_000);
  return Promise.all(plans.map(async (plan) => ({ ...plan, code: await alice.code(plan.recipient) })));
}
const calls = async (otp_id: string) => ((await alice.state(otp_id)).resends ?? []).length;
/** The credits of a verification: what its ledger entries sum up to, and what its messages cost. */
const books = (otp_id: string) =>
  service.app.db.one<{ charged: number; cost: number; entries: number }>(
    `select coalesce(-sum(l.credits), 0)::integer as charged, count(distinct l.id)::integer as entries,
       (select sum(cost_credits) from verifications where id = $1 or resend_of = $1)::integer as cost
     from ledger l join verifications v on v.account_id = l.account_id
       and (v.id = l.id or l.reference = 'refund:' || v.id) where v.id = $1 or v.resend_of = $1`,
    [otp_id],
  );

test('two processes and a resend that take the same due step start it once', async () => {
  for (const plan of await duePlans()) {
    const resend = () =>
      other.call(resendOtp, { apiKey: alice.key(), params: { otp_id: plan.id }, body: { channel: 'voice' } });
    await Promise.all([
      startNext(service.app, plan),
      startNext(other.app, plan),
      startNext(other.app, plan),
      count % 2 ? startNext(service.app, plan) : resend().catch(() => undefined),
    ]);
    const { steps = [] } = await alice.state(plan.id);
    expect(steps.map(({ status }) => status === 'waiting')).toEqual([false, false]);
    const planned = await service.app.db.rows(
      `select from verifications where resend_of = $1 and plan is not null`,
      [plan.id],
    );
    expect(planned).toHaveLength(1);
    const { charged, cost } = await books(plan.id);
    expect(charged).toBe(cost);
  }
});

test('a due step that races with a right code or a cancel leaves no open message behind', async () => {
  for (const [n, plan] of (await duePlans()).entries()) {
    const end = () =>
      n % 2
        ? other.call(verifyOtp, { apiKey: alice.key(), body: { otp_id: plan.id, code: plan.code } })
        : alice.cancel(plan.id);
    const [ended] = await Promise.all([end(), startNext(service.app, plan)]);
    expect(ended.status).toBe(200);
    await service.drain();
    expect(await startNext(service.app, plan)).toBe('over');
    const open = await service.app.db.rows(
      `select from verifications where recipient = $1 and code_hmac is not null`,
      [plan.recipient],
    );
    expect(open).toEqual([]);
    const { charged, cost } = await books(plan.id);
    expect(charged).toBe(cost);
  }
});

test('a plan whose worker was killed after its claim goes on once', async () => {
  const [plan] = await duePlans();
  if (!plan) throw new Error('No plan');
  const { db, random } = service.app;
  const worker_id = random.uuid();
  await db.run(
    `insert into workers (id, name, started_at, seen_at) values ($1, 'killed', clock_timestamp() - interval '9 s',
       clock_timestamp() - interval '9 s')`,
    [worker_id],
  );
  const claim = random.uuid();
  const claimed = await claimPlans(db, { worker_id, claim, most: 1_000 });
  expect(claimed.map(({ id }) => id)).toContain(plan.id);
  expect(await freeUnknownPlans(db, worker_id, [claim])).toBe(0);
  await service.drain();
  expect(await calls(plan.id)).toBe(0);
  await releaseClaimsOfDeadWorkers(service.app, other.jobs);
  await service.drain();
  expect(await calls(plan.id)).toBe(1);
});

test('an erasure locks the plan after its verification, like a report', async () => {
  const { body } = await service.call(sendOtp, {
    apiKey: alice.key(),
    body: { recipient: phone(), channels: ['sms', 'voice'] },
  });
  const { otp_id, recipient } = body;
  await using held = await holdLock(service, 'select lock_verifications(array[$1::uuid])', [otp_id]);
  const forms = { recipient, digits: [recipient.slice(1)], hashes: [], known_hashes: [] };
  const erasing = eraseRecipientFromSends(service.app.db, forms, [FIRST, LAST]);
  await untilWaiting(service, 1);
  await held.run('select from plans where otp_id = $1 for update nowait', [otp_id]);
  await held.commit();
  expect(await erasing).toMatchObject({ verifications: 1 });
  expect(await service.app.db.maybe('select from plans where otp_id = $1', [otp_id])).toBeUndefined();
});
