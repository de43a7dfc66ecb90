import type { OperatorAccount, OperatorAccountDetail } from '#contract/operator-accounts.ts';
import { orderBy, type Page } from '../platform/db/page.ts';
import type { Queryable } from '../platform/db/sql.ts';

const STATE = `case when a.deleted_at is not null then 'deleted' when a.suspended_at is not null then 'suspended' else 'active' end`;

/** Whole days come from the daily counts, and later rows are counted up to a bound, so that one busy account costs little. */
const COUNTED_MOST = 50_000;
const USAGE = `cross join lateral (
    select coalesce(sum(entries), 0) as sends, coalesce(sum(entries) filter (where status = 'verified'), 0) as verified
    from (
      select d.entries, d.outcome as status from daily_counts d, counted_days c
      where c.list = 'verifications' and d.list = 'verifications' and d.account_id = a.id
        and d.day >= greatest(c.from_day, (clock_now() - interval '30 days')::date) and d.day < c.until_day
      union all
      select 1, recent.status from (
        select v.status from verifications v
        where v.account_id = a.id and v.id >= greatest(uuid_floor(clock_now() - interval '30 days'),
          (select start_of(until_day) from counted_days where list = 'verifications'))
        limit ${COUNTED_MOST}) recent
    ) u) usage`;
const ACTIVITY = `cross join lateral (
    select greatest((select max(last_used_at) from api_keys k where k.account_id = a.id),
      (select max(last_used_at) from sessions s where s.account_id = a.id)) as at) activity`;

const LISTED = `a.id, a.email, a.username, a.first_name, a.last_name, ${STATE} as state, a.suspended_reason, b.credits, b.debt,
  usage.sends as sends_30_days, usage.verified as verified_30_days, activity.at as last_activity_at, a.created_at`;

/** Null fields match everything. */
export interface AccountFilter {
  /** a LIKE pattern in lower case */
  text: string | null;
  /** accounts that an id in the search names */
  ids: string[] | null;
  state: OperatorAccount['state'] | null;
}

const MATCHING = `($1::text is null or a.search_text like $1 or a.id = any ($2)) and ($3::text is null or ${STATE} = $3)`;
const ORDER = { created_at: 'a.id', email: 'a.email', credits: 'b.credits' };

/** Cuts out the page first, so that only its accounts are counted. */
export function selectAccounts(
  sql: Queryable,
  { text, ids, state }: AccountFilter,
  { ordering, limit, offset }: Page & { ordering: string },
): Promise<OperatorAccount[]> {
  const order = orderBy(ordering, ORDER, 'a.id');
  const balance = ordering.endsWith('credits') ? 'join balances b on b.account_id = a.id' : '';
  return sql.rows<OperatorAccount>(
    `select ${LISTED} from (
       select a.* from accounts a ${balance} where ${MATCHING} order by ${order} limit $4 offset $5
     ) a join balances b on b.account_id = a.id ${USAGE} ${ACTIVITY} order by ${order}`,
    [text, ids, state, limit, offset],
  );
}

export const countAccounts = async (sql: Queryable, { text, ids, state }: AccountFilter): Promise<number> =>
  (await sql.one<{ n: number }>(`select count(*) as n from accounts a where ${MATCHING}`, [text, ids, state]))
    .n;

/** The accounts of the API key, order, payment or verification that a search names in full, and of an API key's prefix. */
export const accountsNamedBy = async (
  sql: Queryable,
  {
    id,
    payment,
    keyHash,
    keyPrefix,
  }: { id: string | null; payment: string; keyHash: Buffer; keyPrefix: string | null },
): Promise<string[]> =>
  (
    await sql.rows<{ id: string }>(
      `select $1::uuid as id where $1 is not null
       union select account_id from api_keys where id = $1 or hash = $3 or prefix = $4
       union select account_id from orders where id = $1 or intent_id = $2
       union select account_id from verifications where id = $1`,
      [id, payment, keyHash, keyPrefix],
    )
  ).map((row) => row.id);

type Detail = Omit<OperatorAccountDetail, 'api_keys' | 'webhooks' | 'sessions'>;

export const findAccountDetail = (sql: Queryable, id: string): Promise<Detail | undefined> =>
  sql.maybe<Detail>(
    `select ${LISTED}, a.phone_number, a.phone_verified_at, a.two_factor_enabled, a.suspended_at, a.auto_purchase_enabled,
       paid.purchases, paid.cents as purchased_cents
     from accounts a join balances b on b.account_id = a.id ${USAGE} ${ACTIVITY}
     cross join lateral (
       select count(*) as purchases, coalesce(sum(o.price_usd_cents), 0) - coalesce(sum((
           select sum(r.cents) from order_reversals r where r.order_id = o.id and r.state = 'taken')), 0) as cents
       from orders o where o.account_id = a.id and o.status = 'succeeded') paid
     where a.id = $1`,
    [id],
  );

const SHOWN_MOST = 100;

export const selectKeysOf = (
  sql: Queryable,
  account_id: string,
): Promise<OperatorAccountDetail['api_keys']> =>
  sql.rows(
    `select id, name, prefix, created_at, last_used_at from api_keys
     where account_id = $1 and deleted_at is null order by id desc limit ${SHOWN_MOST}`,
    [account_id],
  );

export const selectWebhooksOf = (
  sql: Queryable,
  account_id: string,
): Promise<OperatorAccountDetail['webhooks']> =>
  sql.rows(
    `select id, name, url, is_active, consecutive_failures, last_sent_at from webhook_endpoints
     where account_id = $1 order by id desc limit ${SHOWN_MOST}`,
    [account_id],
  );
