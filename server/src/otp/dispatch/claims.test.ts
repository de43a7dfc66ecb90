import { expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import {
  awaitReport,
  type Claimed,
  freeClaim,
  freeUnknownClaims,
  passOn,
  scheduleRetry,
  unclaim,
} from './queries.ts';

/** What the queue keeps of a message whose claim ends without a response. */
const service = fixture(testService);

const HELD = {
  carrier: 'http' as string | null,
  refused_by: ['twilio'],
  uncertain: 0,
  tries: 3,
  last_failure: 'Busy',
  seconds: -60,
  is_claimed: true,
};
type Row = typeof HELD;
type Held = Claimed & { worker_id: string; siblings: string };
const both = ['twilio', 'http'];
const retry = (failure?: string) => (held: Held) =>
  scheduleRetry(service.app.db, { ...held, refused_by: both }, { seconds: 7, failure });
const lost = (held: Held) => awaitReport(service.app.db, held, 'Lost');
const freed = (held: Held) => freeClaim(service.app.db, held);
const passed = (held: Held) => passOn(service.app.db, held);
const orphaned = (held: Held) => freeUnknownClaims(service.app.db, held.worker_id, [held.siblings]);

test.each<[string, (held: Held) => Promise<unknown>, Partial<Row>, Partial<Row> | undefined]>([
  ['found no carrier', (held) => unclaim(service.app.db, held), {}, { carrier: null, tries: 2 }],
  ['cannot be read', passed, {}, { carrier: null, tries: 2, seconds: 1 }],
  ['cannot be read after a lost response', passed, { uncertain: 1 }, { tries: 2, seconds: 1 }],
  ['was refused', retry('Down'), {}, { carrier: null, refused_by: both, last_failure: 'Down', seconds: 7 }],
  ['was refused without a reason', retry(), {}, { carrier: null, refused_by: both, seconds: 7 }],
  ['had its response lost', lost, {}, { uncertain: 1, last_failure: 'Lost', seconds: 10 }],
  ['had two responses lost', lost, { uncertain: 1 }, undefined],
  ['was released in a request', freed, {}, { uncertain: 1, seconds: 10 }],
  ['was released before a request', freed, { carrier: null }, { seconds: 0 }],
  ['is unknown to its worker', orphaned, {}, { carrier: null, tries: 2 }],
  ['is unknown to its worker after a lost response', orphaned, { uncertain: 1 }, { tries: 2 }],
])('a claimed message that %s keeps what its next round needs', async (_, act, more, expected) => {
  const { db, random, clock } = service.app;
  await stopDatabaseClock(service.databaseUrl, clock.now());
  const [id, sibling] = [random.uuid(), random.uuid()];
  const [claim, worker_id] = [random.uuid(), random.uuid()];
  const siblings = act === orphaned ? random.uuid() : claim;
  const held = { ...HELD, ...more };
  for (const [of, its] of [
    [id, claim],
    [sibling, siblings],
  ])
    await db.run(
      `insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id, claim, carrier, refused_by,
         uncertain, tries, last_failure)
       values ($1, $1, 'sms', '', clock_now() - interval '1 minute', clock_now(), $2, $3, $4, '{twilio}', $5, 3, 'Busy')`,
      [of, worker_id, its, held.carrier, held.uncertain],
    );
  const claimed = { id, claim, worker_id, siblings, uncertain: held.uncertain } as Held;
  const nobody = random.uuid();
  await act({ ...claimed, claim: nobody, worker_id: nobody });
  await act(claimed);
  const rows = await db.rows(
    `select carrier, refused_by, uncertain, tries, last_failure, extract(epoch from run_at - clock_now())::integer as seconds,
       num_nonnulls(worker_id, claim) = 2 as is_claimed
     from deliveries where id in ($1, $2) order by id = $2`,
    [id, sibling],
  );
  expect(rows).toEqual([...(expected ? [{ ...held, ...expected, is_claimed: false }] : []), held]);
});
