import { notifyAccount } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';

type App = Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups'>;

export const spendJobs = (app: App): Job[] => [
  { name: 'spend-notices', everyMs: 5_000, run: () => notifyReachedShares(app) },
];

/** Sends an e-mail when an account or one of its keys has spent 50, 80 or 100 % of a limit. */
async function notifyReachedShares(app: App): Promise<boolean> {
  const reached = await app.db.transaction(async (tx) => {
    const shares = await claimReachedShares(tx);
    for (const { account_id, key_name, span, percent, credit_limit, spent } of shares)
      await notifyAccount(tx, app, account_id, {
        kind: 'spendLimit',
        keyName: key_name,
        span,
        percent,
        creditLimit: credit_limit,
        spent,
        limitsUrl: `${app.config.publicUrl}/${key_name === null ? 'protection' : 'api-keys'}`,
      });
    return shares.length;
  });
  if (reached > 0) app.wakeups.notify('notices');
  return reached === BATCH_SIZE;
}

const BATCH_SIZE = 100;

/** A share of a limit that an account or one of its keys has reached and that no e-mail has announced yet. */
interface ReachedShare {
  account_id: string;
  /** null: a limit of the account */
  key_name: string | null;
  span: 'day' | 'month';
  percent: number;
  credit_limit: number;
  spent: number;
}

const TODAY = `(clock_now() at time zone 'UTC')::date`;

/** Records and returns the newly reached shares. Each share is recorded once per period. */
const claimReachedShares = (tx: Tx): Promise<ReachedShare[]> =>
  tx.rows<ReachedShare>(
    `with spending as (
       select b.account_id, b.account_id as subject_id, null as key_name, l.*
       from balances b
       cross join lateral (values
         ('day', b.daily_credit_limit, b.spent_today, b.spend_day),
         ('month', b.monthly_credit_limit, b.spent_this_month, date_trunc('month', b.spend_day)::date)
       ) l (span, credit_limit, spent, period)
       where (b.daily_credit_limit is not null or b.monthly_credit_limit is not null)
         and b.spend_day >= date_trunc('month', ${TODAY})
       union all
       select s.account_id, s.api_key_id, k.name, 'day', s.daily_credit_limit, s.spent_today, s.spend_day
       from key_spending s join api_keys k on k.id = s.api_key_id and k.deleted_at is null
     ), reached as (
       select *, case when spent >= credit_limit then 100 when spent >= credit_limit * 0.8 then 80
         when spent >= credit_limit * 0.5 then 50 end as percent
       from spending
       where period = case span when 'day' then ${TODAY} else date_trunc('month', ${TODAY})::date end
     ), due as (
       select r.* from reached r
       where r.percent is not null and not exists (
         select from spend_notices n where n.account_id = r.account_id and n.subject_id = r.subject_id
           and n.span = r.span and n.credit_limit = r.credit_limit and (n.period, n.percent) >= (r.period, r.percent))
       limit ${BATCH_SIZE}
     ), noted as (
       insert into spend_notices as n (account_id, subject_id, span, period, percent, credit_limit)
       select account_id, subject_id, span, period, percent, credit_limit from due
       on conflict (account_id, subject_id, span) do update set
         period = excluded.period, percent = excluded.percent, credit_limit = excluded.credit_limit
       where n.credit_limit <> excluded.credit_limit or (n.period, n.percent) < (excluded.period, excluded.percent)
       returning n.subject_id, n.span
     )
     select due.account_id, due.key_name, due.span, due.percent, due.credit_limit, due.spent
     from due join noted using (subject_id, span)`,
  );
