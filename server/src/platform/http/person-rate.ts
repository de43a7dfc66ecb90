import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { limitSize } from '../limit-size.ts';
import type { Needs } from '../platform.ts';
import { lookupBatcher } from '../queue/batcher.ts';
import { Failure } from './failure.ts';
import { createOverLimit } from './over-limit.ts';
import type { Authenticators } from './serve.ts';

type Authenticate<C> = (...asked: Parameters<Authenticators['person']>) => Promise<C>;

/**
 * Limits a person's calls with a session, across all processes, sessions and accounts, before the body is read. So a member
 * cannot use up the calls of the others. The database counts them in batches, per person and second. After a burst, each process
 * starts a person's calls evenly spread at the limit's rate.
 */
export function limitByPerson<C extends { person_id: string }>(
  app: Needs<'db' | 'config'>,
  authenticate: Authenticate<C>,
): Authenticate<C> {
  const positions = lookupBatcher((ids: string[]) => count(app, ids));
  const overLimit = createOverLimit<C>();
  const pace = createPace();
  return async (request, reply) => {
    // Operators may change it while the service runs.
    const most = app.config.dashboardRequestsPerSecond;
    const credential = request.headers.authorization ?? '';
    const refused = overLimit.find(credential);
    const person = refused ?? (await authenticate(request, reply));
    const position = refused ? most + 1 : await positions.submit(person.person_id);
    reply.headers({
      'RateLimit-Limit': String(most),
      'RateLimit-Remaining': String(Math.max(0, most - position)),
      'RateLimit-Reset': '1',
    });
    if (position <= most && (await pace.turn(person.person_id, most))) return person;
    if (!refused) overLimit.hold(credential, person);
    if (!(await overLimit.turn(person.person_id))) reply.header('Connection', 'close');
    throw new Failure('too_many_requests', { retry_after: 1 });
  };
}

/** The position of each call among its person's calls of the current second. */
async function count({ db }: Needs<'db'>, ids: string[]): Promise<number[]> {
  const rows = await db.rows<{ account_id: string; asked: number; used: number }>(
    'select * from admit_accounts($1)',
    [ids],
  );
  const before = new Map(rows.map(({ account_id, asked, used }) => [account_id, used - asked]));
  return ids.map((id) => {
    const position = (before.get(id) ?? 0) + 1;
    before.set(id, position);
    return position;
  });
}

interface Pace {
  /** Waits for the person's turn. False if it would wait too long, and the call should be refused. */
  turn(person_id: string, perSecond: number): Promise<boolean>;
}

/** How many of a person's calls start without delay. More than any screen makes when it opens. */
export const BURST = 10;
/** Twice the longest wait that a limit per second can cause, which occurs at the boundary of two seconds. */
export const WAIT_MAX_MS = 2_000;
/** Bounds memory. The least recently used entries are dropped first. */
const PERSONS_MAX = 10_000;

interface Time {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}
const REAL: Time = { nowMs: () => monotonicMs(), sleep };

/**
 * Spreads a person's accepted calls over each second. A rate limit alone would admit them all in the same moment, and they would
 * delay the sends of every account.
 */
export function createPace({ nowMs, sleep }: Time = REAL): Pace {
  /** The time at which each person's next call would be due at an even rate. */
  const evenMs = new Map<string, number>();
  return {
    async turn(person_id, perSecond) {
      const now = nowMs();
      const intervalMs = 1_000 / perSecond;
      const even = Math.max(evenMs.get(person_id) ?? now, now);
      const waitMs = even - now - (BURST - 1) * intervalMs;
      if (waitMs > WAIT_MAX_MS) return false;
      evenMs.delete(person_id);
      evenMs.set(person_id, even + intervalMs);
      limitSize(evenMs, PERSONS_MAX);
      if (waitMs > 0) await sleep(waitMs);
      return true;
    },
  };
}
