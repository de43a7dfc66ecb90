import type { LookupFieldName, LookupKind } from '@sixdigit/contract/operator/lookup-kinds.ts';
import type { LookupNumber } from '@sixdigit/contract/operator/lookups.ts';
import type { LookupFacts } from '@sixdigit/contract/protection/lookups.ts';
import type { RetentionRules } from '../platform/db/retention.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

export type LookupValues = Partial<Record<LookupFieldName, string | undefined>>;

/** As it is stored. */
export interface LookupSetupRow extends Record<LookupNumber, number> {
  id: string;
  kind: LookupKind;
  is_enabled: boolean;
  /** without secrets */
  fields: LookupValues;
  sealed: Buffer;
  version: number;
  changed_at: string;
  changed_by: string | null;
}

const SETUP = `id, kind, is_enabled, fields, sealed, cache_hours, timeout_ms, daily_limit, account_daily_limit, version, changed_at,
  changed_by`;

export const findSetup = (sql: Queryable): Promise<LookupSetupRow | undefined> =>
  sql.maybe<LookupSetupRow>(`select ${SETUP} from lookup_setups`);

/** Call it under the lock of the settings. */
export const saveSetup = (tx: Tx, row: Omit<LookupSetupRow, 'changed_at'>): Promise<number> =>
  tx.run(
    `insert into lookup_setups (${SETUP}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_now(), $11)
     on conflict (is_only) do update set id = excluded.id, kind = excluded.kind, is_enabled = excluded.is_enabled, fields = excluded.fields,
       sealed = excluded.sealed, cache_hours = excluded.cache_hours, timeout_ms = excluded.timeout_ms,
       daily_limit = excluded.daily_limit, account_daily_limit = excluded.account_daily_limit, version = excluded.version,
       changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
    [
      row.id,
      row.kind,
      row.is_enabled,
      JSON.stringify(row.fields),
      row.sealed,
      row.cache_hours,
      row.timeout_ms,
      row.daily_limit,
      row.account_daily_limit,
      row.version,
      row.changed_by,
    ],
  );

export const deleteSetup = (tx: Tx): Promise<number> => tx.run('delete from lookup_setups');

/** Finds an account's answer about a number. */
export interface AnswerAsked {
  account_id: string;
  hashes: readonly string[];
  version: number;
  /** an older answer is not used */
  most_age_seconds: number | undefined;
}

export interface BeginAsked extends AnswerAsked {
  cost: number;
  endpoint: string;
  idempotency_key: string | undefined;
  proof_id: string | undefined;
  most: number;
  /** of an account that has neither bought credits nor got some from an operator */
  most_unpaid: number;
  most_over_all: number;
}

/** Why a send needs no look-up: it repeats a request or a proof, or its account cannot pay for it. */
export type Needless = 'repeated' | 'unpaid';

export interface Begun {
  outcome: 'cached' | Needless | 'budget_spent' | 'reserved';
  facts?: LookupFacts;
}

/** One guarded statement: finds a stored answer, or counts the look-up against the budgets of the day. */
export const beginLookup = async (sql: Sql, asked: BeginAsked): Promise<Begun> =>
  (await sql.one<{ begun: Begun }>('select begin_lookup($1) as begun', [JSON.stringify(asked)])).begun;

export const findAnswer = async (
  sql: Queryable,
  { account_id, hashes, version, most_age_seconds }: AnswerAsked,
): Promise<LookupFacts | undefined> =>
  (
    await sql.maybe<{ facts: LookupFacts }>(
      `select facts from lookup_answers where account_id = $1 and hash = any ($2::bytea[]) and version = $3
         and expires_at > clock_now() and ($4::integer is null or answered_at > clock_now() - make_interval(secs => $4))
       order by answered_at desc limit 1`,
      [account_id, hashes, version, most_age_seconds],
    )
  )?.facts;

/** An answer of a newer version of the setup stays. */
export const keepAnswer = (
  sql: Sql,
  {
    account_id,
    hash,
    version,
    facts,
    hours,
  }: { account_id: string; hash: string; version: number; facts: LookupFacts; hours: number },
): Promise<number> =>
  sql.run(
    `insert into lookup_answers as l (account_id, hash, version, facts, answered_at, expires_at)
     values ($1, $2, $3, $4, clock_now(), clock_now() + make_interval(hours => $5))
     on conflict (account_id, hash) do update set version = excluded.version, facts = excluded.facts,
       answered_at = excluded.answered_at, expires_at = excluded.expires_at
     where l.version <= excluded.version`,
    [account_id, hash, version, JSON.stringify(facts), hours],
  );

/** Stands for all accounts in `lookup_counts`. */
const EVERYONE = '00000000-0000-0000-0000-000000000000';

export const countToday = async (sql: Queryable): Promise<number> =>
  (
    await sql.maybe<{ lookups: number }>(
      `select lookups from lookup_counts where account_id = $1 and day = (clock_now() at time zone 'UTC')::date`,
      [EVERYONE],
    )
  )?.lookups ?? 0;

/** Forgets what the look-ups of all accounts found about an erased recipient. */
export const eraseLookups = (sql: Sql, hashes: readonly Buffer[]): Promise<number> =>
  sql.run('delete from lookup_answers where hash = any ($1::bytea[])', [hashes]);

/** Deletes the counts and the answers of a deleted account. */
export async function deleteLookupsOf(tx: Tx, account_id: string): Promise<void> {
  await tx.run('delete from lookup_counts where account_id = $1', [account_id]);
  await tx.run('delete from lookup_answers where account_id = $1', [account_id]);
}

export const lookupRetention: RetentionRules = {
  rows: [
    { table: 'lookup_answers', where: 'expires_at < clock_now()' },
    { table: 'lookup_counts', where: `day < (clock_now() at time zone 'UTC')::date - 1` },
  ],
};
