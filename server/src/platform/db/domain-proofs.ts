/**
 * Proofs of domains by TXT records, for tables with the columns `domain`, `token`, `checked_at`, `problem`, `verified_at` and
 * `lapses_at`. A verified record is looked up again after PROOF_DAYS, and daily while it is missing.
 */

import { GRACE_DAYS, PROOF_DAYS } from '@sixdigit/contract/message-links.ts';
import type { Queryable, Sql, Tx } from './sql.ts';

export interface ProvenTable {
  table: string;
  /** the column of the primary key */
  key: string;
}

export const DOMAIN_STATUS = `case when verified_at is null then 'pending' when lapses_at is null then 'verified'
  else 'lapsing' end`;

/** Whether the domain counts as proven now. */
export const COUNTS_AS_PROVEN =
  '(verified_at is not null and (lapses_at is null or lapses_at > clock_now()))';

/** Claims a look-up, at most one in five seconds. False if the last one is too recent or the row does not exist. */
export const claimCheck = async (
  sql: Queryable,
  { table, key }: ProvenTable,
  id: string,
  condition = 'true',
): Promise<boolean> =>
  (await sql.run(
    `update ${table} set checked_at = clock_now()
     where ${key} = $1 and ${condition} and (checked_at is null or checked_at <= clock_now() - interval '5 seconds')`,
    [id],
  )) === 1;

/** Claims the rows whose proof is old, and once a day those whose record is missing. Returns their keys. */
export const claimDueProofs = async (
  sql: Sql,
  { table, key }: ProvenTable,
  most: number,
): Promise<string[]> =>
  (
    await sql.rows<{ key: string }>(
      `update ${table} set checked_at = clock_now() where ${key} in (
         select ${key} from ${table}
         where verified_at is not null and checked_at <= clock_now() -
           case when problem is null then interval '${PROOF_DAYS} days' else interval '1 day' end
         order by checked_at limit $1 for update skip locked)
       returning ${key} as key`,
      [most],
    )
  ).map(({ key }) => key);

/** Records a look-up that found the record with this token. Returns 0 if the token has changed or the row is gone. */
const markFound = (
  tx: Queryable,
  { table, key }: ProvenTable,
  { id, token }: { id: string; token: string },
): Promise<number> =>
  tx.run(
    `update ${table} set verified_at = clock_now(), lapses_at = null, problem = null where ${key} = $1 and token = $2`,
    [id, token],
  );

interface Missed {
  lapses_at: string | null;
  /** this look-up was the first without the record */
  begins_to_lapse: boolean;
  has_lapsed: boolean;
}

/**
 * Records a look-up without the record. A verified domain keeps its status for the grace period. If the name server does not
 * respond, the grace period starts only after thirty days without a proof.
 */
const markMissing = (
  tx: Tx,
  { table, key }: ProvenTable,
  { id, token, problem }: { id: string; token: string; problem: string },
): Promise<Missed | undefined> =>
  tx.maybe<Missed>(
    `with before as (select * from ${table} where ${key} = $1 and token = $2 for update),
     after as (
       update ${table} d set problem = $3,
         verified_at = case when b.lapses_at <= clock_now() then null else b.verified_at end,
         lapses_at = case when b.verified_at is null or b.lapses_at <= clock_now() then null
           when b.lapses_at is not null then b.lapses_at
           when $3 <> 'dns_unavailable' or b.verified_at < clock_now() - interval '30 days'
             then clock_now() + interval '${GRACE_DAYS} days' end
       from before b where d.${key} = b.${key} returning d.*
     )
     select a.lapses_at, b.lapses_at is null and a.lapses_at is not null as begins_to_lapse,
       b.verified_at is not null and a.verified_at is null as has_lapsed
     from after a join before b on b.${key} = a.${key}`,
    [id, token, problem],
  );

/** What a look-up has changed. `lapses_at` is null once the grace period has ended. */
export type ProofChange = { change: 'verified' } | { change: 'missing' | 'lapsed'; lapses_at: string | null };

/**
 * Applies the result of a look-up: `problem` is null if it found the record. Undefined unless the domain was verified for the
 * first time, its grace period began, or it ended.
 */
export async function settleProof(
  tx: Tx,
  table: ProvenTable,
  { isVerified, ...proof }: { id: string; token: string; isVerified: boolean },
  problem: string | null,
): Promise<ProofChange | undefined> {
  if (problem === null) {
    const found = await markFound(tx, table, proof);
    return found > 0 && !isVerified ? { change: 'verified' } : undefined;
  }
  const missed = await markMissing(tx, table, { ...proof, problem });
  if (missed?.has_lapsed) return { change: 'lapsed', lapses_at: null };
  return missed?.begins_to_lapse ? { change: 'missing', lapses_at: missed.lapses_at } : undefined;
}
