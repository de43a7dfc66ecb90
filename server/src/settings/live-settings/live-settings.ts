/**
 * Settings that operators change while the service runs: rows with a history. Every process reads them twice a second, so that
 * a change applies everywhere within a second. While the database is unavailable, the last values remain in use.
 */

import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';

export interface LiveSettings {
  /** The newest value of a name, or undefined if the default applies. */
  value(name: string): unknown;
  /** Runs `apply` after every change of the name, before the refresh that read it ends. If it fails, the next refresh repeats it. */
  follow(name: string, apply: () => Promise<void>): void;
  refresh(): Promise<void>;
}

export const SETTINGS_EVERY_MS = 500;

export function createLiveSettings(app: Needs<'db'>): LiveSettings {
  const values = new Map<string, unknown>();
  const followers = new Map<string, () => Promise<void>>();
  let position = 0;
  let applying: Promise<unknown> = Promise.resolve();
  return {
    value: (name) => values.get(name),
    follow: (name, apply) => void followers.set(name, apply),
    async refresh() {
      const newest = await newestPosition(app.db);
      if (newest === position) return;
      const changes = await changesAfter(app.db, position, newest);
      for (const { name, value } of changes)
        if (value === null) values.delete(name);
        else values.set(name, value);
      for (const { name } of changes) {
        const apply = followers.get(name);
        if (!apply) continue;
        // One after another, so that the newest state is applied last.
        applying = applying.then(apply, apply);
        await applying;
      }
      position = Math.max(position, newest);
    },
  };
}

export const settingsJobs = (app: { live: LiveSettings }): Job[] => [
  {
    name: 'settings',
    topic: 'settings',
    everyMs: SETTINGS_EVERY_MS,
    async run() {
      await app.live.refresh();
      return false;
    },
  },
];

const newestPosition = async (sql: Queryable): Promise<number> =>
  (await sql.one<{ position: number }>('select coalesce(max(position), 0) as position from setting_changes'))
    .position;

/** The newest value of each name that changed, so that a process reads each change once. */
const changesAfter = (
  sql: Queryable,
  from: number,
  until: number,
): Promise<{ name: string; value: unknown }[]> =>
  sql.rows(
    `select distinct on (name) name, value from setting_changes where position > $1 and position <= $2
     order by name, position desc`,
    [from, until],
  );

/** Serializes changes to settings, and reads the newest value. */
export async function lockSetting(tx: Tx, name: string): Promise<unknown> {
  await tx.run('lock table setting_changes in share row exclusive mode');
  return (await newestChange(tx, name))?.value ?? undefined;
}

/** A change of a setting. Its position is its version. */
export interface SettingChange {
  position: number;
  value: unknown;
  created_at: string;
  operator_id: string | null;
}

const CHANGE = 'position, value, created_at, operator_id from setting_changes';

/** The newest change, whose value applies. Undefined if the setting was never changed. */
export const newestChange = (sql: Queryable, name: string): Promise<SettingChange | undefined> =>
  sql.maybe<SettingChange>(`select ${CHANGE} where name = $1 order by position desc limit 1`, [name]);

/** The newest first. */
export const changesOf = (
  sql: Queryable,
  name: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<SettingChange[]> =>
  sql.rows<SettingChange>(`select ${CHANGE} where name = $1 order by position desc limit $2 offset $3`, [
    name,
    limit,
    offset,
  ]);

export const countChanges = async (sql: Queryable, name: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from setting_changes where name = $1', [name])).n;

/** Every value that the setting has had, oldest first, without its resets to the default. */
export const valuesOf = async (sql: Queryable, name: string): Promise<unknown[]> =>
  (
    await sql.rows<{ value: unknown }>(
      'select value from setting_changes where name = $1 and value is not null order by position',
      [name],
    )
  ).map(({ value }) => value);

/** Call it under `lockSetting`. */
export const storeSetting = (
  tx: Tx,
  { id, name, value, operator_id }: { id: string; name: string; value: unknown; operator_id: string | null },
): Promise<number> =>
  tx.run(
    'insert into setting_changes (id, name, value, created_at, operator_id) values ($1, $2, $3, clock_now(), $4)',
    [id, name, JSON.stringify(value), operator_id],
  );
