import type { DatabaseGauges } from '../metrics.ts';
import type { Sql } from './sql.ts';
import type { StandbyReads } from './standby-reads.ts';

/**
 * The number of standbys that must confirm each commit before PostgreSQL acknowledges it, according to the server's settings.
 * With 0, an acknowledged commit may exist on one disk only. Reading the settings requires no privilege.
 */
export const synchronousStandbys = async (sql: Sql): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      `select case
         when current_setting('synchronous_commit') in ('off', 'local') or trim(names) = '' then 0
         else coalesce(substring(names from '(?i)^\\s*(?:(?:first|any)\\s+)?(\\d+)\\s*\\(')::integer, 1)
       end as n
       from current_setting('synchronous_standby_names') as names`,
    )
  ).n;

/** The standbys and archivers that receive this server's WAL, whether or not commits wait for them. */
export const walReceivers = async (sql: Sql): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      `select count(*) as n from pg_stat_replication where application_name not like 'pg\\_%'`,
    )
  ).n;

/** The state of the standby that lists read from, if there is one. */
export const readStandbyGauges = (standby: StandbyReads | undefined): DatabaseGauges => ({
  gauges: standby
    ? [
        { name: 'read_standby_up', help: 'Whether the standby of READ_DATABASE_URL responds.' },
        {
          name: 'read_standby_lag_bytes',
          help: 'WAL that the standby of READ_DATABASE_URL has not replayed.',
        },
      ]
    : [],
  async read(sql) {
    if (!standby) return [];
    const lag = await standby.lagBytes(sql);
    const up = { name: 'read_standby_up', value: lag === undefined ? 0 : 1 };
    return lag === undefined ? [up] : [up, { name: 'read_standby_lag_bytes', value: lag }];
  },
});

export const standbyGauges: DatabaseGauges = {
  gauges: [
    {
      name: 'database_synchronous_standbys',
      help: 'Standbys that confirm each commit before it is acknowledged.',
    },
  ],
  read: async (sql) => [{ name: 'database_synchronous_standbys', value: await synchronousStandbys(sql) }],
};
