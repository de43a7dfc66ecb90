import type { Queryable } from './sql.ts';

/** Facts about this database that several processes share, by name. */
export interface Fact {
  value: string;
  /** ISO 8601 */
  changed_at: string;
}

export const findFact = (sql: Queryable, name: string): Promise<Fact | undefined> =>
  sql.maybe<Fact>('select value, changed_at from service_facts where name = $1', [name]);

/** Returns true for the one caller that adds the fact. */
export const addFact = async (sql: Queryable, name: string, value: string): Promise<boolean> =>
  (await sql.run(
    `insert into service_facts (name, value, changed_at) values ($1, $2, clock_now()) on conflict (name) do nothing`,
    [name, value],
  )) === 1;

export const setFact = (sql: Queryable, name: string, value: string): Promise<number> =>
  sql.run(
    `insert into service_facts (name, value, changed_at) values ($1, $2, clock_now())
     on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at`,
    [name, value],
  );

/**
 * Returns true for the one caller that may start a daily task. A later `setFact` with the same name marks the task's end.
 * Without it, the task may be started again after an hour.
 */
export const claimDaily = async (sql: Queryable, name: string): Promise<boolean> =>
  (await sql.run(
    `insert into service_facts as f (name, value, changed_at) values ($1, 'begun', clock_now())
     on conflict (name) do update set value = 'begun', changed_at = clock_now()
     where f.changed_at < clock_now() - case f.value when 'begun' then interval '1 hour' else interval '24 hours' end`,
    [name],
  )) === 1;
