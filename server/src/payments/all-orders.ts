import type { OperatorPurchase, Reconciliation } from '@sixdigit/contract/operator/payments.ts';
import { orderBy, type Page } from '../platform/db/page.ts';
import { likeLiteral, type Queryable } from '../platform/db/sql.ts';
import { isUuid } from '../platform/security/random.ts';
import { cardText } from './card-text.ts';
import { TRIED } from './history.ts';

/** Reads over the orders of all accounts, for operators. */
export const accountsOfOrder = async (
  sql: Queryable,
  { id, intent_id }: { id: string | null; intent_id: string },
): Promise<string[]> =>
  (
    await sql.rows<{ account_id: string }>(
      'select distinct account_id from orders where id = $1 or intent_id = $2',
      [id, intent_id],
    )
  ).map(({ account_id }) => account_id);

/** An account's paid purchases and their cost after refunds. */
export const purchaseTotals = (
  sql: Queryable,
  account_id: string,
): Promise<{ purchases: number; purchased_cents: number }> =>
  sql.one(
    `select count(*) as purchases, coalesce(sum(o.price_usd_cents), 0) - coalesce(sum((
         select sum(r.cents) from order_reversals r where r.order_id = o.id and r.state = 'taken')), 0) as purchased_cents
     from orders o where o.account_id = $1 and o.status = 'succeeded'`,
    [account_id],
  );

export type Purchase = Omit<OperatorPurchase, 'email'>;

export interface PurchaseFilter {
  /** a part of an account's names, or the id of an order, an account or a payment */
  search: string;
  /** the account's phone number, if the search contains it in full */
  phone: string | null;
  status: OperatorPurchase['status'] | 'reversed' | null;
}

const SHOWN = `o.id, o.account_id, o.kind, o.credits, o.credits_taken, o.price_usd_cents, o.status, o.failure,
  o.intent_id as payment_intent_id, o.provider, o.created_at,
  o.card_brand, o.card_last4,
  (select coalesce(sum(r.cents), 0) from order_reversals r where r.order_id = o.id and r.state = 'taken') as refunded_cents,
  (select coalesce(json_agg(json_build_object('id', r.id,
       'kind', case when r.id like 're%' then 'refund' else 'dispute' end,
       'cents', r.cents, 'state', r.state, 'changed_at', iso(r.changed_at)) order by r.changed_at), '[]')
   from order_reversals r where r.order_id = o.id) as reversals`;

/** Conditions are built for each filter, so that every one of them can use its index. */
function matching({ search, phone, status }: PurchaseFilter): { where: string; params: unknown[] } {
  const params: unknown[] = [];
  const value = (one: unknown) => `$${params.push(one)}`;
  const conditions = [TRIED];
  if (isUuid(search)) {
    const id = value(search);
    conditions.push(`(o.id = ${id} or o.account_id = ${id})`);
  } else if (search.startsWith('pi_')) {
    conditions.push(`o.intent_id = ${value(search)}`);
  } else if (search !== '') {
    const text = value(`%${likeLiteral(search.toLowerCase())}%`);
    conditions.push(
      `o.account_id = any (array(
         select a.id from accounts a where a.search_text like ${text} or a.phone_number = ${value(phone)}))`,
    );
  }
  if (status === 'reversed')
    conditions.push('exists (select from order_reversals r where r.order_id = o.id)');
  else if (status !== null) conditions.push(`o.status = ${value(status)}`);
  return { where: conditions.join(' and '), params };
}

const ORDER = { created_at: 'o.id', price_usd_cents: 'o.price_usd_cents' };

export async function selectPurchases(
  sql: Queryable,
  filter: PurchaseFilter,
  { ordering, limit, offset }: Page & { ordering: string },
): Promise<{ purchases: Purchase[]; count: number }> {
  const { where, params } = matching(filter);
  const { count } = await sql.one<{ count: number }>(`select count(*) from orders o where ${where}`, params);
  const n = params.length;
  const rows = await sql.rows<Row>(
    `select ${SHOWN} from (
       select id, row_number() over () as place from (
         select o.id from orders o where ${where} order by ${orderBy(ordering, ORDER, 'o.id')} limit $${n + 1} offset $${n + 2}) o
     ) page join orders o on o.id = page.id order by page.place`,
    [...params, limit, offset],
  );
  return { purchases: rows.map(purchaseOf), count };
}

export const getPurchase = async (sql: Queryable, id: string): Promise<Purchase> =>
  purchaseOf(await sql.one<Row>(`select ${SHOWN} from orders o where o.id = $1`, [id]));

type Row = Omit<Purchase, 'card'> & { card_brand: string | null; card_last4: string | null };

const purchaseOf = ({ card_brand: brand, card_last4: last4, ...purchase }: Row): Purchase => ({
  ...purchase,
  card: brand && last4 ? cardText({ brand, last4 }) : null,
});

const SHOWN_MOST = 50;

export const selectUnmatched = (sql: Queryable): Promise<Reconciliation['unmatched']> =>
  sql.rows(
    `select intent_id as payment_intent_id, account_id, order_id, amount_cents, currency, reason, found_at, refunded_at,
       last_failure
     from unmatched_payments order by found_at desc limit ${SHOWN_MOST}`,
  );

export const selectFailingEvents = (sql: Queryable): Promise<Reconciliation['failing_events']> =>
  sql.rows(
    `select id, type, tries, last_failure, received_at from payment_events
     where processed_at is null and last_failure is not null order by received_at desc limit ${SHOWN_MOST}`,
  );
