import type { listTransactions, PaymentTransaction, Receipt } from '@sixdigit/contract/payments.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { billingNameOf } from '../accounts/accounts.ts';
import { containing, EVER, orderBy, type Page, pageOf } from '../platform/db/page.ts';
import { beginOfPart, type PartOf } from '../platform/db/part.ts';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { displayPrice } from './pricing.ts';
import { countTransactions } from './transaction-counts.ts';
import { ENTRIES, MATCHING, ORDERS } from './transaction-rows.ts';

export type Row = Omit<PaymentTransaction, 'price_display'> & { price_usd_cents: number | null };

/** Lists the ledger's entries and the orders without credits. */
export async function transactionsOf(
  app: Needs<'db'>,
  account_id: string,
  query: Parsed<typeof listTransactions, 'query'>,
): Promise<{ results: PaymentTransaction[]; count: number }> {
  const text = containing(query.search);
  const [rows, count] = await Promise.all([
    selectTransactions(app.db, account_id, { text, ordering: query.ordering, ...pageOf(query) }),
    countTransactions(app.db, account_id, text),
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
    card: card_brand && card_last4 ? `${brandName(card_brand)} ending in ${card_last4}` : null,
  };
}

export const receiptNumber = (n: number): string => `R-${String(n).padStart(6, '0')}`;

const BRANDS: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};
const brandName = (brand: string): string => BRANDS[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);

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

/** Limits both parts to the rows that pages up to this one can need before they are merged. */
function selectTransactions(
  sql: Sql,
  account_id: string,
  { text, ordering, limit, offset }: Page & { text: string | null; ordering: string },
): Promise<Row[]> {
  const by = orderBy(ordering, ORDER, 't.id');
  const part = (rows: string) =>
    `(select * from (${rows}) t where ${MATCHING} order by ${by} limit $3::bigint + $4::bigint)`;
  return sql.rows<Row>(
    `select t.* from (${part(ENTRIES)} union all ${part(ORDERS)}) t order by ${by} limit $3 offset $4`,
    [account_id, text, limit, offset],
  );
}

/** A part of the history. Orders without credits belong to the part of the ledger's rows of their time. */
export async function selectTransactionPart(
  sql: Queryable,
  account_id: string,
  text: string | null,
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
    `select t.* from (${ENTRIES} and ${within('l.id')} union all ${ORDERS} and ${within('o.id')}) t
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
