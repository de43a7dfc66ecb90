import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { stillDead } from '../../platform/queue/work.ts';
import type { Known } from '../../protection/protection.ts';
import type { ResendableRow } from '../queries.ts';
import type { Move, StepText, StoredStep } from './step.ts';

/** A claimed plan. `id` is that of its verification. */
export interface ClaimedPlan {
  id: string;
  account_id: string;
  claim: string;
}

export const claimPlans = (
  sql: Sql,
  { worker_id, claim, most }: { worker_id: string; claim: string; most: number },
): Promise<ClaimedPlan[]> => sql.rows('select * from claim_plans($1, $2, $3)', [worker_id, claim, most]);

const FREED = 'worker_id = null, claim = null';

/** Does nothing if the plan has moved on, which ends the claim too. */
export const freePlan = (sql: Sql, { id, claim }: ClaimedPlan, seconds = 0): Promise<number> =>
  sql.run(
    `update plans set ${FREED}, run_at = greatest(run_at, clock_now() + make_interval(secs => $3))
     where otp_id = $1 and claim = $2`,
    [id, claim, seconds],
  );

export const freePlansOf = (sql: Sql, workers: readonly string[]): Promise<number> =>
  sql.run(`update plans set ${FREED} where worker_id = any (${stillDead('$1')})`, [workers]);

export const freeUnknownPlans = (sql: Sql, worker_id: string, known: readonly string[]): Promise<number> =>
  sql.run(`update plans set ${FREED} where worker_id = $1 and claim <> all ($2)`, [
    worker_id,
    [...new Set(known)],
  ]);

export const deletePlan = (sql: Queryable, otp_id: string): Promise<number> =>
  sql.run('delete from plans where otp_id = $1', [otp_id]);

/** A plan with what its next step repeats. */
export interface PlannedRow extends Omit<ResendableRow, 'has_plan'> {
  otp_id: string;
  account_id: string;
  api_key_id: string;
  is_test: boolean;
  known: Known | null;
  steps: StoredStep[];
  current_id: string;
  rest: StepText[];
  sealed: Buffer;
  wait_seconds: number;
  /** why the next step starts, if it is due */
  ended_by: 'failed' | 'timeout';
}

/** The plan of a verification of this account, until it ends. */
export const findPlan = (
  sql: Queryable,
  account_id: string,
  otp_id: string,
): Promise<PlannedRow | undefined> =>
  sql.maybe<PlannedRow>(
    `select v.id as otp_id, v.account_id, v.api_key_id, v.is_test, v.known, v.channel, v.recipient, v.message, v.subject, v.language,
       v.template, v.template_version, v.dlt, v.purpose, host(v.client_ip) as client_ip, v.metadata::json as metadata,
       v.code_hmac, v.code_length, v.max_attempts, v.own_code, v.status, v.closed_by, v.expires_at,
       v.expires_at <= clock_now() as is_expired, v.plan -> 'steps' as steps, p.current_id, p.rest, p.sealed, p.wait_seconds,
       case when exists (
         select from verifications m where m.account_id = p.account_id and m.id = p.current_id and m.failure is not null)
         then 'failed' else 'timeout' end as ended_by
     from plans p join verifications v on v.account_id = p.account_id and v.id = p.otp_id
     where p.account_id = $1 and p.otp_id = $2`,
    [account_id, otp_id],
  );

/** When the next steps of a plan start. */
export interface PlanTimes {
  run_at: string;
  expires_at: string;
  wait_seconds: number;
}

export const findPlanTimes = (
  sql: Queryable,
  account_id: string,
  otp_id: string,
): Promise<PlanTimes | undefined> =>
  sql.maybe<PlanTimes>(
    'select run_at, expires_at, wait_seconds from plans where account_id = $1 and otp_id = $2',
    [account_id, otp_id],
  );

/** Whether this is still the plan's message, and the plan is due. Read it under the lock of the recipient. */
export const isDue = async (
  tx: Tx,
  { otp_id, current_id }: Pick<PlannedRow, 'otp_id' | 'current_id'>,
): Promise<boolean> =>
  (await tx.maybe('select from plans where otp_id = $1 and current_id = $2 and run_at <= clock_now()', [
    otp_id,
    current_id,
  ])) !== undefined;

/** The messages of a verification; the first one is its own. */
export const selectMessages = (
  sql: Queryable,
  account_id: string,
  otp_id: string,
): Promise<
  { id: string; failure: string | null; delivered_at: string | null; is_sent: boolean; is_open: boolean }[]
> =>
  sql.rows(
    `select m.id, m.failure, m.delivered_at, m.sent_at is not null as is_sent, m.closed_by is null and m.code_hmac is not null as is_open
     from verifications v cross join lateral unnest(array[v.id] || v.resend_ids) as r (id)
     join verifications m on m.account_id = $1 and m.id = r.id
     where v.account_id = $1 and v.id = $2 order by m.id`,
    [account_id, otp_id],
  );

/** A delivered message ends the plan's waiting: only a resend starts the next step. */
export const holdPlan = (tx: Tx, otp_id: string): Promise<number> =>
  tx.run('update plans set run_at = expires_at, is_held = true where otp_id = $1', [otp_id]);

export const advancePlans = (tx: Tx, moves: readonly Move[]): Promise<number> =>
  tx.run('select advance_plans($1)', [JSON.stringify(moves)]);

/** Which of these workers hold claims of plans. */
export const planClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>('select distinct worker_id as id from plans where worker_id = any ($1)', [
      workers,
    ])
  ).map(({ id }) => id);

/** Channels and their wait, as an account stores them. */
export interface AccountPlan {
  channels: Channel[];
  wait_seconds: number;
}
export interface AccountPlans {
  default: AccountPlan | null;
  countries: (AccountPlan & { country: string })[];
}

export const findAccountPlans = async (
  sql: Queryable,
  account_id: string,
): Promise<AccountPlans | undefined> => (await selectAccountPlans(sql, [account_id]))[0];

/** Undefined for accounts that have set no plan. */
export async function selectAccountPlans(
  sql: Queryable,
  ids: readonly string[],
): Promise<(AccountPlans | undefined)[]> {
  const rows = await sql.rows<{ account_id: string; plans: AccountPlans }>(
    'select account_id, plans from account_plans where account_id = any ($1)',
    [ids],
  );
  const byAccount = new Map(rows.map(({ account_id, plans }) => [account_id, plans]));
  return ids.map((id) => byAccount.get(id));
}

export const writeAccountPlans = (tx: Tx, account_id: string, plans: AccountPlans): Promise<number> =>
  tx.run(
    `insert into account_plans (account_id, plans) values ($1, $2)
     on conflict (account_id) do update set plans = excluded.plans`,
    [account_id, JSON.stringify(plans)],
  );

export const deleteAccountPlans = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from account_plans where account_id = $1', [account_id]);
