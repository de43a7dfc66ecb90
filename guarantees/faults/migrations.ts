import { fork } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { readSchemaFiles } from '../../server/src/platform/db/schema-files.ts';
import { fillAccounts } from '../harness/accounts.ts';
import { SECRET_KEY, startDatabase, startFleet } from '../harness/processes.ts';
import { ask } from '../harness/recorder.ts';
import { none, type Scenario, some, wait } from '../harness/run.ts';

const AT_ONCE = 5;
/** The number of migrations in the older version: enough for accounts with API keys. The older version has no functions. */
const OLD = 4;
const MAIN = join(import.meta.dirname, '../../server/src/main.ts');

export const migrations: Scenario = {
  name: 'migrations',
  about: `${AT_ONCE} migrations at once on an empty database and on an old one with rows, one of each interrupted`,
  async *run(cleanup) {
    const { url } = await startDatabase(cleanup);
    for (const name of ['empty', 'old']) await query(url, `create database ${name}`);
    const [empty, old] = ['empty', 'old'].map((name) => url.replace(/\/\w+$/, `/${name}`)) as [
      string,
      string,
    ];
    const shipped = readSchemaFiles();
    await migrate(old, { ...shipped, migrations: shipped.migrations.slice(0, OLD), functions: [] });
    const people = await fillAccounts(old, { accounts: 5, keysEach: 1 });

    const fresh = await migrateAtOnce(empty);
    const upgraded = await migrateAtOnce(old);
    const wrong = async (url: string) => {
      const rows = await query<{ name: string }>(url, 'select name from schema_migrations order by name');
      const names = shipped.migrations.map(({ name }) => name);
      return JSON.stringify(rows.map(({ name }) => name)) === JSON.stringify(names) ? 0 : 1;
    };
    const schemas = await Promise.all([empty, old].map(schemaOf));
    const differences = schemas[0]?.filter((line) => !schemas[1]?.includes(line)) ?? [];
    for (const line of differences.slice(0, 5)) console.log(`  only in the empty database: ${line}`);
    const refused = await sendsRefused(old, people);
    yield* [
      some('migrations that were interrupted', fresh.cut + upgraded.cut),
      none('others that failed, empty database', fresh.failed),
      none('others that failed, old database', upgraded.failed),
      none('databases that lack a migration or ran one twice', (await wrong(empty)) + (await wrong(old))),
      none('differences between the two schemas', differences.length),
      none('accounts of the old database that cannot send', refused),
    ];
  },
};

/** Returns how many migrations were interrupted and how many of the others failed. */
async function migrateAtOnce(url: string): Promise<{ cut: number; failed: number }> {
  const children = Array.from({ length: AT_ONCE }, () =>
    fork(MAIN, ['migrate'], {
      env: { PATH: process.env.PATH, DATABASE_URL: url, SECRET_KEY },
      execArgv: [],
      silent: true,
    }),
  );
  const codes = Promise.all(
    children.map((child) => new Promise<number | null>((resolve) => child.once('exit', resolve))),
  );
  const cut = await cutOneOff(url);
  const failed = (await codes).filter((code) => code !== 0).length;
  return { cut, failed: Math.max(0, failed - cut) };
}

/** Ends the first active connection of a migration. To the database, this looks as if the migrating process had died. */
async function cutOneOff(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let tries = 0; tries < 10_000; tries++) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and application_name = 'sixdigit migrate' and xact_start is not null
           and state <> 'idle' and wait_event_type is distinct from 'Lock' limit 1`,
      );
      if (rowCount) return 1;
      await wait(1);
    }
    return 0;
  } finally {
    await client.end();
  }
}

async function sendsRefused(url: string, people: Awaited<ReturnType<typeof fillAccounts>>): Promise<number> {
  const fleet = await startFleet({ apis: 1, workers: 0 }, { DATABASE_URL: url, SECRET_KEY });
  try {
    const sends = people.map(({ key }, n) =>
      ask(fleet.apis[0]?.port ?? 0, '/api/v1/otp/send/', key, {
        channel: 'sms',
        recipient: `+1212${2_000_000 + n}`,
      }),
    );
    return (await Promise.all(sends)).filter(({ status }) => status !== 201).length;
  } finally {
    await fleet.stop();
  }
}

/** Every column, index, constraint and function, one per line. */
const schemaOf = async (url: string): Promise<string[]> =>
  (
    await query<{ line: string }>(
      url,
      `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as line
         from information_schema.columns where table_schema = 'public'
       union all select indexdef from pg_indexes where schemaname = 'public'
       union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
         where connamespace = 'public'::regnamespace
       union all select proname || ' ' || md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace`,
    )
  ).map(({ line }) => line);

async function query<T>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}
