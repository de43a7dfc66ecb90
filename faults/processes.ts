import { noRestart, verdict } from './assertions.ts';
import { type Scene, startScene } from './fixture.ts';
import { type Chapter, none, say, some, until, wait } from './scenario.ts';

const ROUNDS = 40;
const STILL_MS = 8_000;

export const killed: Chapter = {
  name: 'killed',
  injects: `a worker killed hard every second, an API every eight seconds, ${ROUNDS} times`,
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const scene = await startScene({ workers: 3 }, cleanup);
    const { fleet, hands } = scene;
    for (let round = 1; round <= ROUNDS; round++) {
      const worker = fleet.workers[round % 3];
      worker?.kill('SIGSTOP');
      await hands.noteStill();
      worker?.kill('SIGKILL');
      if (round % 8 === 0) fleet.apis[(round / 8) % 2]?.kill('SIGKILL');
      await wait(400);
    }
    await until(20_000, async () => fleet.apis.every(({ starts }) => starts > 1));
    return [some('messages in hand at a kill', hands.times.size), ...(await verdict(scene, { lost: true }))];
  },
};

export const stalled: Chapter = {
  name: 'stalled',
  injects: 'a worker, then an API, that stands still for 8 s and goes on',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const scene = await startScene({}, cleanup);
    const { fleet, hands } = scene;
    for (const member of [fleet.workers[0], fleet.apis[0]]) {
      say(`  ${member?.role} stands still`);
      member?.kill('SIGSTOP');
      if (member?.role === 'worker') await hands.noteStill();
      await wait(STILL_MS);
      member?.kill('SIGCONT');
      await wait(4_000);
    }
    return [
      some('messages in hand as it stopped', hands.times.size),
      noRestart(scene),
      ...(await verdict(scene)),
    ];
  },
};

const EXPIRES_SECONDS = 60;

export const expired: Chapter = {
  name: 'expired',
  injects:
    'all workers stand still with messages in hand and in the queue until most of these have expired, then go on',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const scene = await startScene({ perSecond: 30, expiresIn: EXPIRES_SECONDS }, cleanup);
    const { fleet, hands } = scene;
    for (const worker of fleet.workers) worker.kill('SIGSTOP');
    await hands.noteStill();
    await wait(10_000);
    await scene.calm();
    await wait(EXPIRES_SECONDS * 1_000 - 5_000);
    for (const worker of fleet.workers) worker.kill('SIGCONT');
    const checks = await verdict(scene);
    return [
      some('sends that nobody could hand over in time', await overdue(scene)),
      none('of these, not refunded', await notRefunded(scene)),
      ...checks,
    ];
  },
};

const NEVER_SENT = `from verifications v where v.status in ('failed', 'expired') and v.sent_at is null`;

const overdue = async ({ db }: Scene): Promise<number> =>
  (await db.one<{ n: number }>(`select count(*) as n ${NEVER_SENT}`)).n;

/** One whose hand-over was under way as the worker stopped may have arrived, and keeps its price if it did. */
const notRefunded = async ({ db, carrier }: Scene): Promise<number> =>
  (
    await db.one<{ n: number }>(
      `select count(*) as n ${NEVER_SENT} and v.id <> all ($1)
         and not exists (select from ledger l where l.reference = 'refund:' || v.id)`,
      [carrier.messages.map(({ id }) => id)],
    )
  ).n;
