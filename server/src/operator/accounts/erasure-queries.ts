import type { Erased } from '../../accounts/erasure/erasure.ts';
import type { Page } from '../../platform/db/page.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';

interface NewErasure {
  id: string;
  requested_by: string;
  key_id: string | null;
  masked: string;
  sealed: Buffer;
  retention_days: number;
  steps: number;
}

export const insertErasure = (tx: Tx, erasure: NewErasure): Promise<{ created_at: string }> =>
  tx.one(
    `insert into recipient_erasures (id, created_at, requested_by, operator_key_id, masked, sealed, retention_days, steps)
     values ($1, clock_now(), $2, $3, $4, $5, $6, $7) returning created_at`,
    [
      erasure.id,
      erasure.requested_by,
      erasure.key_id,
      erasure.masked,
      erasure.sealed,
      erasure.retention_days,
      erasure.steps,
    ],
  );

export interface RunningErasure {
  id: string;
  created_at: string;
  requested_by: string;
  operator_key_id: string | null;
  masked: string;
  sealed: Buffer;
  retention_days: number;
  steps_done: number;
  erased: Partial<Erased>;
}

/** Longer than any step. The erasure of a worker that died continues after it. */
const LEASE = "interval '10 minutes'";

export const claimErasure = (sql: Sql, lease: string): Promise<RunningErasure | undefined> =>
  sql.maybe<RunningErasure>(
    `update recipient_erasures set lease = $1, leased_until = clock_now() + ${LEASE}
     where id = (
       select id from recipient_erasures
       where ended_at is null and (leased_until is null or leased_until <= clock_now())
       order by id limit 1 for update skip locked)
     returning id, created_at, requested_by, operator_key_id, masked, sealed, retention_days, steps_done, erased`,
    [lease],
  );

interface Done {
  id: string;
  lease: string;
  steps_done: number;
  erased: Partial<Erased>;
}

/** Ends the lease. Changes nothing if another worker has taken it over. */
export const storeStep = (sql: Sql, { id, lease, steps_done, erased }: Done): Promise<number> =>
  sql.run(
    `update recipient_erasures set steps_done = $3, erased = $4, lease = null, leased_until = null
     where id = $1 and lease = $2`,
    [id, lease, steps_done + 1, JSON.stringify(erased)],
  );

/** Forgets the recipient. Returns false if another worker has taken the lease over. */
export const endErasure = async (tx: Tx, { id, lease, steps_done, erased }: Done): Promise<boolean> =>
  (await tx.run(
    `update recipient_erasures set steps_done = $3, erased = $4, lease = null, leased_until = null, sealed = null,
       ended_at = clock_now()
     where id = $1 and lease = $2`,
    [id, lease, steps_done + 1, JSON.stringify(erased)],
  )) === 1;

export const selectErasures = (sql: Queryable, { limit, offset }: Page) =>
  sql.rows<{
    id: string;
    created_at: string;
    requested_by: string;
    recipient: string;
    steps: number;
    steps_done: number;
    ended_at: string | null;
    erased: Record<string, number>;
  }>(
    `select id, created_at, requested_by, masked as recipient, steps, steps_done, ended_at, erased
     from recipient_erasures order by id desc limit $1 offset $2`,
    [limit, offset],
  );

export const countErasures = async (sql: Queryable): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from recipient_erasures')).n;

const deleteOldErasures = (tx: Tx): Promise<number> =>
  tx.run(`delete from recipient_erasures where ended_at < clock_now() - interval '400 days'`);

export const operatorRetention: RetentionRules = {
  rows: [{ table: 'recipient_erasures', run: deleteOldErasures }],
};
