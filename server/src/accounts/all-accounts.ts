/**
 * Queries over all accounts, for operators. A statement contains only the conditions of the filters in use, so that it can use
 * their indexes.
 */

import type { OperatorAccount, OperatorAccountDetail } from '@sixdigit/contract/operator/accounts.ts';
import { findFact, setFact } from '../platform/db/facts.ts';
import { EVER, orderBy, type Page } from '../platform/db/page.ts';
import type { Queryable } from '../platform/db/sql.ts';

type State = OperatorAccount['state'];

const STATES: Record<State, string> = {
  active: 'a.deleted_at is null and a.suspended_at is null',
  suspended: 'a.deleted_at is null and a.suspended_at is not null',
  deleted: 'a.deleted_at is not null',
};
const STATE = `case when ${STATES.deleted} then 'deleted' when ${STATES.suspended} then 'suspended' else 'active' end`;
const LISTED = `a.id, a.email, a.username, a.name, a.first_name, a.last_name, ${STATE} as state, a.suspended_reason, a.created_at`;

/** Null fields match everything. */
export interface AccountFilter {
  /** a LIKE pattern in lower case */
  text: string | null;
  /** a phone number in E.164, if the search contains one in full */
  phone: string | null;
  /** further accounts that match the search */
  ids: readonly string[];
  state: State | null;
}

export type ListedAccount = Pick<
  OperatorAccount,
  | 'id'
  | 'email'
  | 'username'
  | 'name'
  | 'first_name'
  | 'last_name'
  | 'state'
  | 'suspended_reason'
  | 'created_at'
>;

function matching({ text, phone, ids, state }: AccountFilter): { where: string; params: unknown[] } {
  const conditions = [
    ...(state === null ? [] : [STATES[state]]),
    ...(text === null
      ? []
      : [
          `(a.search_text like $1 or a.phone_number = $2 or a.id = any ($3) or lower(a.name) like $1
       or a.id in (select m.account_id from people p join memberships m on m.person_id = p.id
         where p.search_text like $1 or p.phone_number = $2))`,
        ]),
  ];
  return { where: conditions.join(' and ') || 'true', params: text === null ? [] : [text, phone, ids] };
}

const ORDER = { created_at: 'a.id', email: 'a.email', credits: 'b.credits' };

/** A search sorts up to this many matches. With more matches, reading in index order fills a page sooner. */
const SORTED_MOST = 10_000;

type Asked = Page & { ordering: string };

export async function selectAccounts(
  sql: Queryable,
  filter: AccountFilter,
  page: Asked,
): Promise<{ accounts: ListedAccount[]; count: number }> {
  if (filter.text === null) {
    const [accounts, count] = await Promise.all([
      selectInOrder(sql, filter, page),
      countAccounts(sql, filter),
    ]);
    return { accounts, count };
  }
  const count = await countAccounts(sql, filter);
  const select = count <= SORTED_MOST ? selectSorted : selectInOrder;
  return { accounts: await select(sql, filter, page), count };
}

/** Finds all matches with the index on the search text, then sorts them. */
function selectSorted(
  sql: Queryable,
  filter: AccountFilter,
  { ordering, limit, offset }: Asked,
): Promise<ListedAccount[]> {
  const { where, params } = matching(filter);
  const n = params.length;
  return sql.rows<ListedAccount>(
    `with found as materialized (select a.id, a.email from accounts a where ${where}), page as (
       select a.id, row_number() over (order by ${orderBy(ordering, ORDER, 'a.id')}) as place
       from found a left join balances b on b.account_id = a.id order by place limit $${n + 1} offset $${n + 2}
     )
     select ${LISTED} from page join accounts a on a.id = page.id order by page.place`,
    [...params, limit, offset],
  );
}

/** Selects the page's ids first, so that the rows of earlier pages are not read. */
function selectInOrder(
  sql: Queryable,
  filter: AccountFilter,
  { ordering, limit, offset }: Asked,
): Promise<ListedAccount[]> {
  const { where, params } = matching(filter);
  const n = params.length;
  const from = /credits$/.test(ordering)
    ? `(select account_id as id, credits from balances) b ${where === 'true' ? '' : 'join accounts a using (id)'}`
    : 'accounts a';
  const id = from.includes('accounts a') ? 'a.id' : 'b.id';
  const order = orderBy(ordering, { ...ORDER, created_at: id }, id);
  return sql.rows<ListedAccount>(
    `select ${LISTED} from (
       select a.id, row_number() over () as place from (
         select ${id} as id from ${from} where ${where} order by ${order} limit $${n + 1} offset $${n + 2}) a
     ) page join accounts a on a.id = page.id order by page.place`,
    [...params, limit, offset],
  );
}

async function countAccounts(sql: Queryable, filter: AccountFilter): Promise<number> {
  const { where, params } = matching(filter);
  if (filter.text === null && filter.state === 'active') {
    // Counts the deleted and the suspended accounts instead, because they are few and have indexes.
    const { all, suspended } = await accountTotals(sql);
    return all - suspended;
  }
  if (where === 'true') return countAll(sql);
  return (await sql.one<{ n: number }>(`select count(*) as n from accounts a where ${where}`, params)).n;
}

export type AccountFacts = ListedAccount &
  Pick<
    OperatorAccountDetail,
    'phone_number' | 'phone_verified_at' | 'two_factor_enabled' | 'suspended_at' | 'auto_purchase_enabled'
  >;

export const findAccount = (sql: Queryable, id: string): Promise<AccountFacts | undefined> =>
  sql.maybe<AccountFacts>(
    `select ${LISTED}, a.phone_number, a.phone_verified_at, a.two_factor_enabled, a.suspended_at, a.auto_purchase_enabled
     from accounts a where a.id = $1`,
    [id],
  );

/** The time at which a session of a member of each account was last used. */
export const lastSessionsOf = async (sql: Queryable, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map(
    (
      await sql.rows<{ account_id: string; at: string }>(
        `select memberships.account_id, max(last_used_at) as at from memberships join sessions using (person_id)
         where memberships.account_id = any ($1) group by memberships.account_id`,
        [ids],
      )
    ).map(({ account_id, at }) => [account_id, at]),
  );

type Ids = readonly (string | null | undefined)[];

/** The addresses of accounts, by id. Deleted accounts have none. */
export const emailsOf = (sql: Queryable, ids: Ids): Promise<Map<string, string>> =>
  selectEmails(sql, 'accounts', ids);

/** The addresses of people, by id. Deleted people have none. */
export const emailsOfPeople = (sql: Queryable, ids: Ids): Promise<Map<string, string>> =>
  selectEmails(sql, 'people', ids);

async function selectEmails(
  sql: Queryable,
  table: 'accounts' | 'people',
  ids: Ids,
): Promise<Map<string, string>> {
  const asked = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (asked.length === 0) return new Map();
  const rows = await sql.rows<{ id: string; email: string }>(
    `select id, email from ${table} where id = any ($1) and email is not null`,
    [asked],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/**
 * The fact that stores the number of accounts up to an id, and this id. Account rows are never removed, so this number never
 * changes.
 */
const COUNTED = 'accounts_counted';
const FEWEST = 1_000;

/** Includes deleted accounts. */
async function countAll(sql: Queryable): Promise<number> {
  const [known = '0', up_to_id = EVER] = (await findFact(sql, COUNTED))?.value.split(' ') ?? [];
  const { n, old, old_id } = await sql.one<{ n: number; old: number; old_id: string }>(
    `select count(a.id) as n, count(*) filter (where a.id <= d.old_id) as old, d.old_id
     from (select uuid_floor(clock_now() - interval '1 day') as old_id) d left join accounts a on a.id > $1 group by d.old_id`,
    [up_to_id],
  );
  if (old >= FEWEST) await setFact(sql, COUNTED, `${Number(known) + old} ${old_id}`);
  return Number(known) + n;
}

/** Accounts that are not deleted. */
export async function accountTotals(
  sql: Queryable,
): Promise<{ all: number; suspended: number; new_24_hours: number }> {
  const [every, { deleted, ...totals }] = await Promise.all([
    countAll(sql),
    sql.one<{ deleted: number; suspended: number; new_24_hours: number }>(
      `select (select count(*) from accounts where deleted_at is not null) as deleted,
         (select count(*) from accounts where suspended_at is not null and deleted_at is null) as suspended,
         (select count(*) from accounts where id >= (select uuid_floor(clock_now() - interval '24 hours')) and deleted_at is null)
           as new_24_hours`,
    ),
  ]);
  return { ...totals, all: every - deleted };
}
