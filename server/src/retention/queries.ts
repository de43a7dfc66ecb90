import type { Sql, Tx } from '../platform/db/sql.ts';

/** The tables partitioned by month, by range of the time-ordered id. */
export type Monthly =
  | 'verifications'
  | 'status_history'
  | 'request_logs'
  | 'webhook_messages'
  | 'webhook_attempts';

const COLUMNS: Record<Monthly, { id: string; key: string }> = {
  verifications: { id: 'id', key: 'account_id, id' },
  status_history: { id: 'otp_id', key: 'account_id, otp_id' },
  request_logs: { id: 'id', key: 'account_id, id' },
  webhook_messages: { id: 'id', key: 'endpoint_id, id' },
  webhook_attempts: { id: 'id', key: 'endpoint_id, id' },
};

/** Limits the lock timeout: other queries must not queue for long behind the creation or removal of a partition. */
export const waitBriefly = (tx: Tx): Promise<number> => tx.run(`set local lock_timeout = '300ms'`);

/** The first days of the current and the following months. */
export const monthsAhead = async (sql: Sql, months: number): Promise<string[]> =>
  (
    await sql.rows<{ month: string }>(
      `select to_char(date_trunc('month', clock_now() at time zone 'UTC') + make_interval(months => n), 'YYYY-MM-DD')
         as month from generate_series(0, $1::integer - 1) n`,
      [months],
    )
  ).map(({ month }) => month);

export const ensurePartitions = (tx: Tx, month: string): Promise<number> =>
  tx.run('select ensure_partitions($1::date, 1)', [month]);

/** The start of the first day to retain; never before 1970, because earlier times have no ordered ids. */
export const limitOf = async (sql: Sql, days: number): Promise<string> =>
  (
    await sql.one<{ at: string }>(
      `select greatest(date_trunc('day', clock_now() - make_interval(days => $1), 'UTC'), to_timestamp(0)) as at`,
      [days],
    )
  ).at;

/** Partitions that end before the limit, oldest first. */
export const monthsBefore = async (sql: Sql, table: Monthly, limit: string): Promise<string[]> =>
  (
    await sql.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= $2::timestamptz
       order by c.relname`,
      [table, limit],
    )
  ).map(({ name }) => name);

/** `name` must come from `monthsBefore`, because it is not escaped. */
export const dropMonth = (tx: Tx, name: string): Promise<number> => tx.run(`drop table "${name}"`);

export const deleteRowsBefore = (tx: Tx, table: Monthly, limit: string, most: number): Promise<number> => {
  const { id, key } = COLUMNS[table];
  return tx.run(
    `delete from ${table} where ${id} < uuid_floor($1) and (${key}) in (
       select ${key} from ${table} where ${id} < uuid_floor($1) limit $2)`,
    [limit, most],
  );
};

export const deleteIdempotencyKeys = (tx: Tx, most: number): Promise<number> =>
  tx.run(
    `delete from idempotency_keys where ctid = any (array(
       select ctid from idempotency_keys where created_at < clock_now() - interval '24 hours'
       limit $1 for update skip locked))`,
    [most],
  );

/** The rate limits look back one day. The extra hour lets sends in flight finish. */
export const deleteIdleRecipients = (tx: Tx, most: number): Promise<number> =>
  tx.run(
    `delete from recipients where ctid = any (array(
       select ctid from recipients
       where touched_at < clock_now() - interval '25 hours' and coalesce(open_until, touched_at) < clock_now()
       limit $1 for update skip locked))`,
    [most],
  );

/** The rate limit over all accounts also looks back one day. */
export const deleteIdleRecipientSends = (tx: Tx, most: number): Promise<number> =>
  tx.run(
    `delete from recipient_sends where ctid = any (array(
       select ctid from recipient_sends where touched_at < clock_now() - interval '25 hours'
       limit $1 for update skip locked))`,
    [most],
  );

/** The inbox stores its newest messages for one day. */
export const deleteSandboxMessages = (tx: Tx, kept: number): Promise<number> =>
  tx.run(
    `delete from sandbox_messages where created_at < clock_now() - interval '1 day'
       or id <= (select id from sandbox_messages order by id desc offset $1 limit 1)`,
    [kept],
  );

/** Other workers released the claims of these workers within seconds of their death. */
export const deleteDeadWorkers = (tx: Tx): Promise<number> =>
  tx.run(
    `delete from workers w where seen_at < clock_timestamp() - interval '1 day'
       and not exists (select from deliveries d where d.worker_id = w.id)
       and not exists (select from webhook_deliveries d where d.worker_id = w.id)`,
  );
