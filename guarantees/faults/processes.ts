import { none, print, type Scenario, some, until, wait } from '../harness/run.ts';
import { checkGuarantees, noRestart } from './assertions.ts';
import { type Fixture, startFixture } from './fixture.ts';

const ROUNDS = 40;
const PAUSED_MS = 8_000;

export const killed: Scenario = {
  name: 'killed',
  about: `SIGKILL to a worker every second and to an API every eight seconds, ${ROUNDS} times`,
  async *run(cleanup) {
    const fixture = await startFixture({ workers: 3 }, cleanup);
    const { fleet, inFlight } = fixture;
    for (let round = 1; round <= ROUNDS; round++) {
      const worker = fleet.workers[round % 3];
      worker?.kill('SIGSTOP');
      await inFlight.recordStalled();
      worker?.kill('SIGKILL');
      if (round % 8 === 0) fleet.apis[(round / 8) % 2]?.kill('SIGKILL');
      await wait(400);
    }
    await until(20_000, async () => fleet.apis.every(({ starts }) => starts > 1));
    yield* [
      some('messages in flight at a kill', inFlight.times.size),
      ...(await checkGuarantees(fixture, { lost: true })),
    ];
  },
};

export const stalled: Scenario = {
  name: 'stalled',
  about: 'a worker, then an API, paused for 8 s',
  async *run(cleanup) {
    const fixture = await startFixture({}, cleanup);
    const { fleet, inFlight } = fixture;
    for (const member of [fleet.workers[0], fleet.apis[0]]) {
      print(`  ${member?.role} is paused`);
      member?.kill('SIGSTOP');
      if (member?.role === 'worker') await inFlight.recordStalled();
      await wait(PAUSED_MS);
      member?.kill('SIGCONT');
      await wait(4_000);
    }
    yield* [
      some('messages in flight when the worker stopped', inFlight.times.size),
      noRestart(fixture),
      ...(await checkGuarantees(fixture)),
    ];
  },
};

const EXPIRES_SECONDS = 60;

export const expired: Scenario = {
  name: 'expired',
  about: 'all workers paused, with messages in flight and in the queue, until most of these have expired',
  async *run(cleanup) {
    const fixture = await startFixture({ perSecond: 30, expiresIn: EXPIRES_SECONDS }, cleanup);
    const { fleet, inFlight } = fixture;
    for (const worker of fleet.workers) worker.kill('SIGSTOP');
    await inFlight.recordStalled();
    await wait(10_000);
    await fixture.stopLoad();
    await wait(EXPIRES_SECONDS * 1_000 - 5_000);
    for (const worker of fleet.workers) worker.kill('SIGCONT');
    const checks = await checkGuarantees(fixture);
    yield* [
      some('sends that no worker could dispatch in time', await overdue(fixture)),
      none('of these, sends that were not refunded', await notRefunded(fixture)),
      ...checks,
    ];
  },
};

const NEVER_SENT = `from verifications v where v.status in ('failed', 'expired') and v.sent_at is null`;

const overdue = async ({ db }: Fixture): Promise<number> =>
  (await db.one<{ n: number }>(`select count(*) as n ${NEVER_SENT}`)).n;

/** A message that was in flight when the worker stopped may have arrived. Then it is not refunded. */
const notRefunded = async ({ db, carrier }: Fixture): Promise<number> =>
  (
    await db.one<{ n: number }>(
      `select count(*) as n ${NEVER_SENT} and v.id <> all ($1)
         and not exists (select from ledger l where l.reference = 'refund:' || v.id)`,
      [carrier.messages.map(({ id }) => id)],
    )
  ).n;
