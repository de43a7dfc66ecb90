import type { ProofMode } from '@sixdigit/contract/proof.ts';
import type { Blocker, ListEntry, LookupSettings, Scope } from '@sixdigit/contract/protection/protection.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import type { Bounds, RuleChanges } from './policy.ts';

/** The operator's row of `protection_settings`, and the scope of counters over all accounts. */
export const DEPLOYMENT = '00000000-0000-0000-0000-000000000000';

export interface SettingsRow {
  account_id: string;
  rules: RuleChanges;
  allow: ListEntry[];
  deny: ListEntry[];
  bounds: Bounds;
  /** null: the default */
  known_days: number | null;
  /** null: never */
  require_proof: ProofMode | null;
  /** omitted ones have their defaults */
  lookups: Partial<LookupSettings>;
  updated_at: string;
}

const SETTINGS = 'account_id, rules, allow, deny, bounds, known_days, require_proof, lookups, updated_at';

/** Settings that changed since then; without a time, all. */
export const selectSettings = (sql: Queryable, since: string | null): Promise<SettingsRow[]> =>
  sql.rows<SettingsRow>(
    `select ${SETTINGS} from protection_settings
     where $1::timestamptz is null or updated_at >= $1`,
    [since],
  );

export const findSettings = (sql: Queryable, account_id: string): Promise<SettingsRow | undefined> =>
  sql.maybe<SettingsRow>(`select ${SETTINGS} from protection_settings where account_id = $1`, [account_id]);

/** Creates the row if it is missing, and locks it until the transaction ends. */
export async function lockSettings(tx: Tx, account_id: string): Promise<SettingsRow> {
  await tx.run(
    `insert into protection_settings (account_id, updated_at) values ($1, clock_now()) on conflict do nothing`,
    [account_id],
  );
  return tx.one<SettingsRow>(
    `select ${SETTINGS} from protection_settings
     where account_id = $1 for update`,
    [account_id],
  );
}

export const saveSettings = (tx: Tx, row: Omit<SettingsRow, 'updated_at'>): Promise<SettingsRow> =>
  tx.one<SettingsRow>(
    `update protection_settings set rules = $2, allow = $3, deny = $4, bounds = $5, known_days = $6, require_proof = $7,
       lookups = $8, updated_at = clock_now()
     where account_id = $1 returning ${SETTINGS}`,
    [
      row.account_id,
      JSON.stringify(row.rules),
      JSON.stringify(row.allow),
      JSON.stringify(row.deny),
      JSON.stringify(row.bounds),
      row.known_days,
      row.require_proof,
      JSON.stringify(row.lookups),
    ],
  );

const LAST_24_HOURS = 'hour >= floor(extract(epoch from clock_now()) / 3600)::integer - 23';

export interface BlockRow {
  rule: string;
  scope: string;
  prefix: string;
  country: string;
  client: string;
  blocked: number;
  monitored: number;
  first_at: string;
  last_at: string;
  blocked_until: string | null;
}

/** The most frequent blocks of the last 24 hours, latest first. */
export const selectBlocks = (sql: Sql, account_id: string, most: number): Promise<BlockRow[]> =>
  sql.rows<BlockRow>(
    `select * from (
       select b.rule, b.scope, b.prefix, b.country, b.client, sum(b.blocked) as blocked,
         sum(b.monitored) as monitored, min(b.first_at) as first_at, max(b.last_at) as last_at,
         max(p.blocked_until) as blocked_until
       from protection_blocks b
       left join blocked_prefixes p on p.prefix = b.prefix and p.rule = b.rule and p.blocked_until > clock_now()
         and p.account_id = case b.scope when 'account' then b.account_id else $2::uuid end
       where b.account_id = $1 and b.hour >= floor(extract(epoch from clock_now()) / 3600)::integer - 23
       group by b.rule, b.scope, b.prefix, b.country, b.client
       order by sum(b.blocked) + sum(b.monitored) desc limit $3) b
     order by last_at desc, rule`,
    [account_id, DEPLOYMENT, most],
  );

export const countBlocks = (sql: Sql, account_id: string): Promise<{ blocked: number; monitored: number }> =>
  sql.one(
    `select coalesce(sum(blocked), 0) as blocked, coalesce(sum(monitored), 0) as monitored from protection_blocks
     where account_id = $1 and ${LAST_24_HOURS}`,
    [account_id],
  );

/** How many sends of each account were blocked in the last 24 hours. */
export const blockedSendsOf = async (
  sql: Queryable,
  account_ids: readonly string[],
): Promise<Map<string, number>> =>
  new Map(
    (
      await sql.rows<{ account_id: string; blocked: number }>(
        `select account_id, sum(blocked) as blocked from protection_blocks
         where account_id = any ($1) and ${LAST_24_HOURS} group by account_id`,
        [account_ids],
      )
    ).map(({ account_id, blocked }) => [account_id, blocked]),
  );

export interface DeploymentBlockRow {
  rule: Blocker;
  scope: Scope;
  country: string;
  accounts: number;
  prefixes: number;
  blocked: number;
  monitored: number;
  last_at: string;
}

/** The most frequent blocks of all accounts in 24 hours, by rule, scope and country. */
export const selectAllBlocks = (sql: Queryable, most: number): Promise<DeploymentBlockRow[]> =>
  sql.rows<DeploymentBlockRow>(
    `select rule, scope, country, count(distinct account_id) as accounts, count(distinct prefix) as prefixes,
       sum(blocked) as blocked, sum(monitored) as monitored, max(last_at) as last_at
     from protection_blocks where ${LAST_24_HOURS}
     group by rule, scope, country order by sum(blocked) + sum(monitored) desc, rule, scope, country limit $1`,
    [most],
  );

export const countAllBlocks = (sql: Queryable): Promise<{ blocked: number; monitored: number }> =>
  sql.one(
    `select coalesce(sum(blocked), 0) as blocked, coalesce(sum(monitored), 0) as monitored
     from protection_blocks where ${LAST_24_HOURS}`,
  );

export const selectAccountsWithLists = async (sql: Queryable): Promise<string[]> =>
  (
    await sql.rows<{ account_id: string }>(
      `select account_id from protection_settings where allow <> '[]' or deny <> '[]' order by account_id`,
    )
  ).map(({ account_id }) => account_id);

/** Deletes the settings of an account that is being deleted. Its counts expire. */
export const forgetProtectionOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from protection_settings where account_id = $1', [account_id]);
