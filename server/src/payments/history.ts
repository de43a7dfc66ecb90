import type {
  listTransactions,
  PaymentTransaction,
  Receipt,
  TRANSACTION_GROUPS,
} from '@sixdigit/contract/payments.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { billingNameOf } from '../accounts/accounts.ts';
import {
  beginOfPart,
  containing,
  EVER,
  orderBy,
  type Page,
  type PartOf,
  pageOf,
} from '../platform/db/page.ts';
import type { Db, Queryable, Sql, Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { cardText } from './card-text.ts';
import { displayPrice } from './pricing.ts';

export type Row = Omit<PaymentTransaction, 'price_display'> & { price_usd_cents: number | null };

/** Lists the ledger's entries and the orders without credits. */
export async function transactionsOf(
  app: Needs<'db'>,
  account_id: string,
  query: Parsed<typeof listTransactions, 'query'>,
): Promise<{ results: PaymentTransaction[]; count: number }> {
  const text = containing(query.search);
  const [rows, count] = await Promise.all([
    selectTransactions(app.db, account_id, {
      text,
      type: query.type,
      ordering: query.ordering,
      ...pageOf(query),
    }),
    countTransactions(app.db, account_id, { text, type: query.type }),
  ]);
  const results = rows.map(({ price_usd_cents, ...row }) => ({
    ...row,
    price_display: price_usd_cents === null ? null : displayPrice(price_usd_cents),
  }));
  return { results, count };
}

/** Throws `not_found` if the entry does not exist, belongs to another account or is not a purchase. */
export async function receiptOf(
  app: Needs<'db' | 'config'>,
  account_id: string,
  id: string,
): Promise<Receipt> {
  const found = isUuid(id) ? await findPaidOrder(app.db, account_id, id) : undefined;
  if (!found) throw new Failure('not_found');
  const { receipt_number, card_brand, card_last4, returned, ...purchase } = found;
  const { email, first_name, last_name } = await billingNameOf(app.db, account_id);
  const name = `${first_name} ${last_name}`.trim();
  return {
    ...purchase,
    number: receiptNumber(receipt_number),
    seller: app.config.brandName,
    support_email: app.config.supportEmail,
    buyer: name === '' ? email : `${name} <${email}>`,
    price_display: displayPrice(purchase.price_usd_cents),
    total_display: displayPrice(
      purchase.price_usd_cents - returned.reduce((sum, { cents }) => sum + cents, 0),
    ),
    returned: returned.map(({ cents, at }) => ({ returned_at: at, price_display: displayPrice(cents) })),
    currency: 'USD',
    card: card_brand && card_last4 ? cardText({ brand: card_brand, last4: card_last4 }) : null,
  };
}

export const receiptNumber = (n: number): string => `R-${String(n).padStart(6, '0')}`;

// ── statements ──

const ORDER = {
  // Ids are ordered by time, and the primary keys serve them without a sort.
  created_at: 't.id',
  transaction_type: 't.transaction_type',
  amount: 't.amount',
  payment_status: 't.payment_status',
  description: 't.description',
  price_usd_cents: 't.price_usd_cents',
};

/** Limits both parts before the merge to the rows that this page and earlier pages can need. */
function selectTransactions(
  sql: Sql,
  account_id: string,
  { text, type, ordering, limit, offset }: Page & Wanted & { ordering: string },
): Promise<Row[]> {
  const by = orderBy(ordering, ORDER, 't.id');
  const part = (rows: string) =>
    `(select * from (${rows}) t where ${MATCHING} order by ${by} limit $3::bigint + $4::bigint)`;
  return sql.rows<Row>(
    `select t.* from (${part(entriesOf(type))} union all ${part(ordersOf(type))}) t order by ${by} limit $3 offset $4`,
    [account_id, text, limit, offset],
  );
}

/**
 * Reads one part of the history. Parts are cut by ledger rows; an uncredited order belongs to the part that covers its time.
 */
export async function selectTransactionPart(
  sql: Queryable,
  account_id: string,
  { text, type }: Wanted,
  part: PartOf,
): Promise<{ rows: Row[]; next: string | null }> {
  const next = await beginOfPart(sql, {
    from: 'ledger',
    owner: 'account_id',
    owner_id: account_id,
    from_id: EVER,
    ...part,
  });
  const within = (id: string) => `${id} < $3::uuid and ${id} >= $4::uuid`;
  const rows = await sql.rows<Row>(
    `select t.* from (${entriesOf(type)} and ${within('l.id')} union all ${ordersOf(type)} and ${within('o.id')}) t
     where ${MATCHING} order by t.id desc`,
    [account_id, text, part.below, next ?? EVER],
  );
  return { rows, next };
}

interface PaidOrder {
  receipt_number: number;
  issued_at: string;
  description: string;
  credits: number;
  price_usd_cents: number;
  card_brand: string | null;
  card_last4: string | null;
  payment_intent_id: string;
  returned: { at: string; cents: number }[];
}

const findPaidOrder = (sql: Sql, account_id: string, id: string): Promise<PaidOrder | undefined> =>
  sql.maybe<PaidOrder>(
    `select o.receipt_number, l.created_at as issued_at, l.description, l.credits,
       o.price_usd_cents, o.card_brand, o.card_last4, o.intent_id as payment_intent_id,
       array(select json_build_object('at', iso(r.changed_at), 'cents', r.cents) from order_reversals r
             where r.order_id = o.id and r.state = 'taken' and r.cents > 0 order by r.changed_at, r.id) as returned
     from ledger l
     join orders o on o.intent_id = substr(l.reference, length('purchase:') + 1)
     where l.account_id = $1 and l.id = $2 and l.kind = 'purchase'`,
    [account_id, id],
  );

/** The rows of the payment history, as SQL: the ledger's entries and the orders without credits. */

/** Maps the kind of an entry to its name on the screens. */
const TYPE = `case l.kind when 'welcome' then 'purchase' when 'clawback' then 'usage' when 'reinstate' then 'refund'
  when 'adjustment' then case when l.credits > 0 then 'purchase' else 'usage' end
  when 'transfer_in' then 'purchase' when 'transfer_out' then 'usage' else l.kind end`;
/** The display name of the entry or order. A card refund is a `usage` without a send. */
const KIND = `case l.kind when 'clawback' then case when l.reference like 'clawback:re%' then 'card_refund' else 'dispute' end
  when 'reinstate' then case when l.reference like 'reinstate:re%' then 'card_refund' else 'dispute' end
  when 'transfer_in' then 'transfer' when 'transfer_out' then 'transfer' else l.kind end`;
/** The money of an entry: paid for a purchase, negative if returned to the card. */
const CENTS = `case l.kind when 'purchase' then o.price_usd_cents when 'clawback' then -r.cents when 'reinstate' then r.cents end`;
const REASON = `case when o.failure is null then '' else ' – ' || o.failure end`;

/** The entries of an account ($1). */
const ENTRIES = `
  select l.id, ${TYPE} as transaction_type, ${KIND} as kind, abs(l.credits) as amount, ${CENTS} as price_usd_cents,
    'succeeded' as payment_status, l.description, l.created_at, l.kind = 'purchase' as has_receipt
  from ledger l left join orders o on l.kind = 'purchase' and o.intent_id = substr(l.reference, length('purchase:') + 1)
  left join order_reversals r on l.kind in ('clawback', 'reinstate') and r.id = split_part(l.reference, ':', 2)
  where l.account_id = $1`;
/**
 * Whether the payer tried to pay order `o`. Opening the payment form is not an attempt; a saved card is charged immediately.
 */
export const TRIED = `(o.status = 'succeeded' or o.method_id is not null or o.is_tried
  or (o.status = 'failed' and o.intent_id is not null))`;
/** The account's orders that were attempted but not credited. */
const ORDERS = `
  select o.id, 'purchase' as transaction_type, 'purchase' as kind, o.credits as amount, o.price_usd_cents, o.status as payment_status,
    case o.kind when 'bundle' then 'Credit bundle' when 'custom' then 'Custom amount' else 'Auto-purchase' end
      || ': ' || to_char(o.credits, 'FM999,999,999') || ' credits' || ${REASON} as description,
    o.created_at, false as has_receipt
  from orders o where o.account_id = $1 and o.status <> 'succeeded' and ${TRIED}`;

type Group = (typeof TRANSACTION_GROUPS)[number];
interface Wanted {
  text: string | null;
  type: Group;
}
/** The index `ledger_without_sends` serves the entries other than usage. */
const OF_GROUP: Record<Group, string> = {
  all: '',
  purchases: ` and l.kind not in ('usage', 'refund')`,
  usage: ` and l.kind in ('usage', 'refund')`,
};
const entriesOf = (group: Group): string => ENTRIES + OF_GROUP[group];
const ordersOf = (group: Group): string => (group === 'usage' ? `${ORDERS} and false` : ORDERS);

/** Whether a row `t` matches the search ($2). */
const MATCHING = `($2::text is null or t.description ilike $2 or t.transaction_type ilike $2)`;

/**
 * Counts an account's payment history exactly without reading its whole ledger. Entries are never changed or removed, so a job
 * counts them once up to an id, by type and description; a query then counts only later entries. The job includes an account
 * after a screen has shown it with many entries.
 */
const MANY = 10_000;
/** Fewer new entries are not worth a write. */
const FEWEST = 1_000;
const STEP = 50_000;
/** Entries are written within moments of their id. */
const SETTLED = `uuid_floor(clock_now() - interval '2 hours')`;

export async function countTransactions(
  sql: Queryable,
  account_id: string,
  { text, type }: Wanted,
): Promise<number> {
  if (type === 'purchases')
    return (await sql.one<{ n: number }>(`select ${PURCHASES} as n`, [account_id, text])).n;
  const { n, purchases, uncounted } = await sql.one<{ n: number; purchases: number; uncounted: number }>(
    // One snapshot, so that a purchase in between is not counted as usage.
    `select c.*, ${type === 'usage' ? PURCHASES : '0::bigint'} as purchases from (${COUNT}) c`,
    [account_id, text],
  );
  if (uncounted >= MANY)
    await sql.run(
      `insert into transaction_counts (account_id, up_to_id, counts) values ($1, '${EVER}', '[]') on conflict do nothing`,
      [account_id],
    );
  return n - purchases;
}

const COUNTED = `select t.* from transaction_counts c cross join jsonb_to_recordset(c.counts)
  as t (transaction_type text, description text, n bigint) where c.account_id = $1`;

/** One statement, so that no entry is counted twice while the job runs. */
const COUNT = `
  with entries as (
    select ${TYPE} as transaction_type, l.description from ledger l where l.account_id = $1
      and l.id > coalesce((select up_to_id from transaction_counts where account_id = $1), '${EVER}')
  ), uncounted as (
    select count(*) as n, count(*) filter (where ${MATCHING}) as matching from entries t
  )
  select u.n as uncounted, u.matching + (select coalesce(sum(t.n), 0) from (${COUNTED}) t where ${MATCHING})
    + (select count(*) from (${ORDERS}) t where ${MATCHING}) as n
  from uncounted u`;

/** Few rows, which their indexes find. */
const PURCHASES = `
  (select count(*) from (${entriesOf('purchases')} union all ${ORDERS}) t where ${MATCHING})`;

/** Counts the next entries of an account that has many. Returns true if there may be more. */
export const countNextTransactions = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    const due = await tx.maybe<{ account_id: string; up_to_id: string }>(
      `select c.account_id, c.up_to_id from transaction_counts c
       where exists (
         select from ledger l where l.account_id = c.account_id and l.id > c.up_to_id and l.id <= (select ${SETTLED})
         order by l.id offset ${FEWEST - 1} limit 1)
       limit 1 for update skip locked`,
    );
    if (due) await countMore(tx, due);
    return due !== undefined;
  });

const countMore = (tx: Tx, { account_id, up_to_id }: { account_id: string; up_to_id: string }) =>
  tx.run(
    `with entries as materialized (
       select l.id, ${TYPE} as transaction_type, l.description from ledger l
       where l.account_id = $1 and l.id > $2 and l.id <= (select ${SETTLED}) order by l.id limit ${STEP}
     ), sums as (
       select transaction_type, description, sum(n)::bigint as n
       from (${COUNTED} union all select transaction_type, description, 1 from entries) t group by 1, 2
     )
     update transaction_counts set up_to_id = (select id from entries order by id desc limit 1),
       counts = (select jsonb_agg(sums) from sums)
     where account_id = $1`,
    [account_id, up_to_id],
  );
