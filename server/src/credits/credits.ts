import type { SpendLimits } from '@sixdigit/contract/spend.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

/** An account's spend limits, and the cost of its sends in the current UTC day and month. */
export interface AccountSpending extends SpendLimits {
  spent_today: number;
  spent_this_month: number;
}

const TODAY = `(clock_now() at time zone 'UTC')::date`;
const SPENDING = `daily_credit_limit, monthly_credit_limit,
  case when spend_day = ${TODAY} then spent_today else 0 end as spent_today,
  case when date_trunc('month', spend_day) = date_trunc('month', ${TODAY}) then spent_this_month else 0 end as spent_this_month,
  floor(extract(epoch from clock_now()) * 1000)::bigint as now_ms`;

export type SpendingNow = AccountSpending & { now_ms: number };

export const spendingOf = (sql: Sql | Tx, account_id: string): Promise<SpendingNow> =>
  sql.one<SpendingNow>(`select ${SPENDING} from balances where account_id = $1`, [account_id]);

/** The accounts that spent most in this UTC month, first. */
export const selectBiggestSpenders = (sql: Queryable, most: number): Promise<{ account_id: string }[]> =>
  sql.rows<{ account_id: string }>(
    `select account_id from balances
     where date_trunc('month', spend_day) = date_trunc('month', ${TODAY}) and spent_this_month > 0
     order by spent_this_month desc, account_id limit $1`,
    [most],
  );

/** Requires the lock on the balance. */
export const setSpendLimits = (
  tx: Tx,
  account_id: string,
  { daily_credit_limit, monthly_credit_limit }: SpendLimits,
): Promise<number> =>
  tx.run('update balances set daily_credit_limit = $2, monthly_credit_limit = $3 where account_id = $1', [
    account_id,
    daily_credit_limit,
    monthly_credit_limit,
  ]);

/**
 * Credits are kept in an append-only ledger and one balance row per account, always written together. The balance never goes
 * below zero, each reference is entered at most once, and an account's entries add up to its balance minus its debt. Sends
 * write their entries in `record_sends` and refunds in `apply_changes`; all other changes go through this module.
 */
export interface Balance {
  credits: number;
  /** credits that were taken back after the account had spent them */
  debt: number;
}

export interface Entry {
  account_id: string;
  /** UUIDv7 of the entry */
  id: string;
  kind: 'purchase' | 'welcome' | 'clawback' | 'reinstate' | 'adjustment' | 'transfer_out' | 'transfer_in';
  /** unique among entries of its kind, so that each event is entered only once, e.g. `purchase:pi_…` */
  reference: string;
  /** whole credits, positive */
  credits: number;
  description: string;
}

export async function openBalance(
  tx: Tx,
  account_id: string,
  welcomeCredits: number,
  { id }: { id: string },
): Promise<void> {
  await tx.run('insert into balances (account_id) values ($1)', [account_id]);
  if (welcomeCredits > 0)
    await deposit(tx, {
      account_id,
      id,
      kind: 'welcome',
      reference: `welcome:${account_id}`,
      credits: welcomeCredits,
      description: 'Welcome credits',
    });
}

export const balanceOf = (sql: Queryable, account_id: string): Promise<Balance> =>
  sql.one<Balance>('select credits, debt from balances where account_id = $1', [account_id]);

/** Whether the account has ever bought credits, or an operator has added some. */
export const hasBoughtCredits = async (sql: Queryable, account_id: string): Promise<boolean> =>
  (await sql.maybe(
    `select 1 from ledger where account_id = $1 and kind not in ('usage', 'refund')
       and (kind = 'purchase' or kind = 'adjustment' and credits > 0) limit 1`,
    [account_id],
  )) !== undefined;

/** Added credits end the last warning and set the default threshold of the next one. */
const endWarning = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `update balances b set topped_up_to = b.credits, warn_below = n.warn_below, warning_due_at = null,
       warning = case when b.credits = 0 then 'empty' when b.credits < n.warn_below then 'low' else 'none' end
     from (select warn_below_of(account_id, credits) as warn_below from balances where account_id = $1) n
     where b.account_id = $1`,
    [account_id],
  );

/** Also the threshold of warnings about it; null if they are off. */
export const balanceWithThreshold = (
  sql: Queryable,
  account_id: string,
): Promise<Balance & { low_balance_threshold: number | null }> =>
  sql.one(
    'select credits, debt, nullif(warn_below, 0) as low_balance_threshold from balances where account_id = $1',
    [account_id],
  );

/** Claims the mails about low and empty balances that are due. Each crossing is claimed once. */
export const claimBalanceWarnings = (
  tx: Tx,
  most: number,
): Promise<{ account_id: string; credits: number }[]> =>
  tx.rows(
    `update balances b set warning_due_at = null
     from (
       select account_id from balances where warning_due_at <= clock_now() order by account_id limit $1 for update) due
     where b.account_id = due.account_id and b.warning_due_at <= clock_now() returning b.account_id, b.credits`,
    [most],
  );

/** The balances of accounts, by id. */
export const balancesOf = async (sql: Queryable, ids: readonly string[]): Promise<Map<string, Balance>> =>
  new Map(
    (
      await sql.rows<Balance & { account_id: string }>(
        'select account_id, credits, debt from balances where account_id = any ($1)',
        [ids],
      )
    ).map(({ account_id, ...balance }) => [account_id, balance]),
  );

/** Whether the ledger has this reference, e.g. `purchase:pi_…`. */
export const hasEntry = async (sql: Queryable, reference: string): Promise<boolean> =>
  (await sql.maybe('select 1 from ledger where reference = $1', [reference])) !== undefined;

export const findEntry = (
  sql: Queryable,
  { kind, reference }: Pick<Entry, 'kind' | 'reference'>,
): Promise<{ account_id: string; credits: number } | undefined> =>
  sql.maybe('select account_id, credits from ledger where kind = $1 and reference = $2', [kind, reference]);

/** Serializes changes to an account's balance until the transaction ends. Take this lock before any other. */
export const lockBalance = (tx: Tx, account_id: string): Promise<Balance> =>
  tx.one<Balance>('select credits, debt from balances where account_id = $1 for update', [account_id]);

/** Locks several balances, in an order in which transactions do not wait for each other. */
export const lockBalances = (tx: Tx, account_ids: readonly string[]): Promise<unknown> =>
  tx.rows('select 1 from balances where account_id = any ($1) order by account_id for update', [account_ids]);

/** Adds credits, paying off debt first. Returns false and changes nothing if the reference was already entered. */
export async function deposit(tx: Tx, entry: Entry): Promise<boolean> {
  await lockBalance(tx, entry.account_id);
  if (!(await insertEntry(tx, entry, entry.credits))) return false;
  await tx.run(
    `update balances set credits = credits + greatest(0, $2 - debt), debt = greatest(0, debt - $2)
     where account_id = $1`,
    [entry.account_id, entry.credits],
  );
  await endWarning(tx, entry.account_id);
  return true;
}

/**
 * Takes credits back; credits already spent become debt. Returns false and changes nothing if the reference was already
 * entered.
 */
export async function takeBack(tx: Tx, entry: Entry): Promise<boolean> {
  await lockBalance(tx, entry.account_id);
  if (!(await insertEntry(tx, entry, -entry.credits))) return false;
  await tx.run(
    `update balances set credits = credits - least(credits, $2), debt = debt + greatest(0, $2 - credits)
     where account_id = $1`,
    [entry.account_id, entry.credits],
  );
  return true;
}

/**
 * Deducts credits from the balance. Throws `NotEnoughCredits` if it is too low. Returns false and changes nothing if the
 * reference was already entered.
 */
export async function deduct(tx: Tx, entry: Entry): Promise<boolean> {
  const { credits } = await lockBalance(tx, entry.account_id);
  if (!(await insertEntry(tx, entry, -entry.credits))) return false;
  if (credits < entry.credits) throw new NotEnoughCredits(credits);
  await tx.run('update balances set credits = credits - $2 where account_id = $1', [
    entry.account_id,
    entry.credits,
  ]);
  return true;
}

export class NotEnoughCredits extends Error {
  readonly credits: number;
  constructor(credits: number) {
    super(`The account has ${credits} credits`);
    this.name = 'NotEnoughCredits';
    this.credits = credits;
  }
}

const insertEntry = async (tx: Tx, entry: Entry, credits: number): Promise<boolean> =>
  (await tx.run(
    `insert into ledger (account_id, id, kind, reference, credits, description, created_at)
     values ($1, $2, $3, $4, $5, $6, clock_now()) on conflict (kind, reference) do nothing`,
    [entry.account_id, entry.id, entry.kind, entry.reference, credits, entry.description],
  )) === 1;

/** Each account's newest ledger entry of the last two hours. */
export const selectNewestEntries = (
  sql: Queryable,
  account_ids: readonly string[],
): Promise<{ account_id: string; state: string | null }[]> =>
  sql.rows(
    `select a.account_id, (
       select l.id::text from ledger l
       where l.account_id = a.account_id and l.id >= uuid_floor(clock_now() - interval '2 hours')
       order by l.id desc limit 1) as state
     from unnest($1::uuid[]) a (account_id)`,
    [account_ids],
  );
