import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import type { Limit, Pace } from './limits.ts';

/**
 * Rate limits over all processes. An attempt is reserved before it is made, so that parallel attempts cannot exceed the limit. A
 * successful attempt releases its reservation.
 */
export interface Throttle {
  limit: Limit;
  /** the accounts, addresses or networks that it counts */
  subjects: readonly string[];
}

export const throttle = (limit: Limit, ...subjects: string[]): Throttle => ({ limit, subjects });

export interface Reservation {
  /** Call it after a success, which does not count. */
  release(): Promise<void>;
}

/** Reserves one attempt of each throttle. If one is exhausted, reserves none and throws `too_many_requests`. */
export async function reserve(
  app: Needs<'db' | 'vault'>,
  throttles: readonly Throttle[],
  refusal: 'too_many_requests' | 'code_entry_locked' = 'too_many_requests',
): Promise<Reservation> {
  const reserved: Buffer[] = [];
  const release = async () => {
    for (const key of reserved) await giveBack(app.db, key);
  };
  for (const one of throttles) {
    const key = keyOf(app, one);
    if (!(await reserveOne(app.db, key, one.limit))) {
      await release();
      throw new Failure(refusal, { retry_after: await secondsUntilFree(app.db, key) });
    }
    reserved.push(key);
  }
  return { release };
}

/** Like `reserve`, but returns whether an attempt was left instead of throwing. */
export const count = (app: Needs<'db' | 'vault'>, one: Throttle): Promise<boolean> =>
  reserveOne(app.db, keyOf(app, one), one.limit);

export const uncount = (app: Needs<'db' | 'vault'>, one: Throttle): Promise<number> =>
  giveBack(app.db, keyOf(app, one));

/**
 * Records one event of a pace, or returns undefined if it came too soon. `until`: the time when the whole burst is available
 * again.
 */
export async function keepPace(
  app: Needs<'db' | 'vault'>,
  pace: Pace,
  ...subjects: string[]
): Promise<Reservation | undefined> {
  const key = keyOf(app, { limit: pace, subjects });
  const reserved = await app.db.run(
    `insert into throttles as t (key, used, until) values ($1, 1, clock_now() + make_interval(secs => $2))
     on conflict (key) do update set until = greatest(t.until, clock_now()) + make_interval(secs => $2)
     where t.until <= clock_now() + make_interval(secs => $2 * ($3 - 1))`,
    [key, pace.everySeconds, pace.burst],
  );
  if (reserved === 0) return undefined;
  return {
    release: async () => {
      await app.db.run('update throttles set until = until - make_interval(secs => $2) where key = $1', [
        key,
        pace.everySeconds,
      ]);
    },
  };
}

const keyOf = (
  app: Needs<'vault'>,
  { limit, subjects }: { limit: Pick<Limit, 'name'>; subjects: readonly string[] },
): Buffer => app.vault.fingerprint('throttle', JSON.stringify([limit.name, ...subjects]));

const reserveOne = async (sql: Sql, key: Buffer, { most, seconds }: Limit): Promise<boolean> =>
  (await sql.run(
    `insert into throttles as t (key, used, until) values ($1, 1, clock_now() + make_interval(secs => $3))
     on conflict (key) do update set
       used = case when t.until <= clock_now() then 1 else t.used + 1 end,
       until = case when t.until <= clock_now() then excluded.until else t.until end
     where t.until <= clock_now() or t.used < $2`,
    [key, most, seconds],
  )) === 1;

const giveBack = (sql: Sql, key: Buffer): Promise<number> =>
  sql.run('update throttles set used = used - 1 where key = $1 and used > 0', [key]);

const secondsUntilFree = async (sql: Sql, key: Buffer): Promise<number> => {
  const row = await sql.maybe<{ seconds: number }>(
    'select ceil(extract(epoch from until - clock_now())) as seconds from throttles where key = $1',
    [key],
  );
  return Math.max(1, row?.seconds ?? 1);
};

export const deleteOldThrottles = (sql: Sql, most: number): Promise<number> =>
  sql.run(
    `delete from throttles where key in (
       select key from throttles where until <= clock_now() limit $1 for update skip locked)`,
    [most],
  );
