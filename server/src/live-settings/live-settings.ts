import type { Queryable, Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';

/**
 * Settings that operators change while the service runs: rows with a history. Every process reads them twice a second, so that a
 * change is effective everywhere within a second. While the database is unavailable, the last values stay.
 */
export interface LiveSettings {
  /** The newest value of a name, or undefined if the default counts. */
  value(name: string): unknown;
  refresh(): Promise<void>;
}

const EVERY_MS = 500;

export function createLiveSettings(app: Needs<'db'>): LiveSettings {
  let values = new Map<string, unknown>();
  return {
    value: (name) => values.get(name),
    async refresh() {
      values = await selectSettings(app.db);
    },
  };
}

export const settingsJobs = (app: { live: LiveSettings }): Job[] => [
  {
    name: 'settings',
    topic: 'settings',
    everyMs: EVERY_MS,
    async run() {
      await app.live.refresh();
      return false;
    },
  },
];

const selectSettings = async (sql: Queryable): Promise<Map<string, unknown>> => {
  const rows = await sql.rows<{ name: string; value: unknown }>(
    'select distinct on (name) name, value from setting_changes order by name, id desc',
  );
  return new Map(rows.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]));
};

/** Serialises changes of settings, and reads the newest value. */
export async function lockSetting(tx: Tx, name: string): Promise<unknown> {
  await tx.run('lock table setting_changes in share row exclusive mode');
  const row = await tx.maybe<{ value: unknown }>(
    'select value from setting_changes where name = $1 order by id desc limit 1',
    [name],
  );
  return row?.value ?? undefined;
}

/** Call it under `lockSetting`. */
export const storeSetting = (
  tx: Tx,
  { id, name, value, operator_id }: { id: string; name: string; value: unknown; operator_id: string },
): Promise<number> =>
  tx.run(
    'insert into setting_changes (id, name, value, created_at, operator_id) values ($1, $2, $3, clock_now(), $4)',
    [id, name, JSON.stringify(value), operator_id],
  );
