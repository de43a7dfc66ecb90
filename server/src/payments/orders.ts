import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import type { CardProvider, IntentOrder } from './card-provider.ts';

/** A stored purchase. It is written before the request to the card provider, so that every charge has an order. */
export interface Order extends IntentOrder {
  status: 'pending' | 'failed' | 'canceled' | 'succeeded';
  provider: CardProvider['name'];
  intent_id: string | null;
  failure: string | null;
  credits_taken: number;
  created_at: string;
}

export interface NewOrder extends IntentOrder {
  provider: CardProvider['name'];
  request_key: Buffer | null;
}

export const ORDER = `id, account_id, kind, credits, price_usd_cents, status, provider, customer_id, method_id, saves_method,
  intent_id, failure, credits_taken, created_at`;

/** The time of the reconciler's first check. Each later check follows after half the order's age. */
const FIRST_CHECK = `clock_now() + interval '10 minutes'`;

const INSERT = `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, method_id, saves_method,
    request_key, created_at, asked_at, check_at)`;
const VALUES = `$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_now(), clock_now(), ${FIRST_CHECK}`;
const valuesOf = (order: NewOrder) => [
  order.id,
  order.account_id,
  order.kind,
  order.credits,
  order.price_usd_cents,
  order.provider,
  order.customer_id,
  order.method_id,
  order.saves_method,
  order.request_key,
];

export const insertOrder = (tx: Tx, order: NewOrder): Promise<Order> =>
  tx.one<Order>(`${INSERT} values (${VALUES}) returning ${ORDER}`, valuesOf(order));

/** Inserts nothing if the account no longer exists. */
export const insertLostOrder = (tx: Tx, order: NewOrder): Promise<Order | undefined> =>
  tx.maybe<Order>(
    `${INSERT} select ${VALUES} from accounts where id = $2 and deleted_at is null
     on conflict (id) do nothing returning ${ORDER}`,
    valuesOf(order),
  );

export const findOrder = (sql: Queryable, id: string): Promise<Order | undefined> =>
  sql.maybe<Order>(`select ${ORDER} from orders where id = $1`, [id]);

export const getOrder = (sql: Sql, id: string): Promise<Order> =>
  sql.one<Order>(`select ${ORDER} from orders where id = $1`, [id]);

export const findOrderOfIntent = (
  sql: Sql,
  account_id: string,
  intent_id: string,
): Promise<Order | undefined> =>
  sql.maybe<Order>(`select ${ORDER} from orders where account_id = $1 and intent_id = $2`, [
    account_id,
    intent_id,
  ]);

/** The order of an earlier request with the same Idempotency-Key. `is_old`: the key's 24 hours have passed. */
export const findOrderOfRequest = (
  sql: Queryable,
  { account_id, request_key, method_id }: Pick<NewOrder, 'account_id' | 'request_key' | 'method_id'>,
): Promise<(Order & { is_old: boolean }) | undefined> =>
  sql.maybe(
    `select ${ORDER}, created_at <= clock_now() - interval '24 hours' as is_old from orders
     where account_id = $1 and request_key = $2 and (method_id is null) = $3`,
    [account_id, request_key, method_id === null],
  );

/** The caller must hold the lock on the account's balance. */
export const lockOrder = (tx: Tx, id: string): Promise<Order> =>
  tx.one<Order>(`select ${ORDER} from orders where id = $1 for update`, [id]);

/** An order for the same purchase with the same saved card, if it is unknown whether the request reached the provider. */
export const findUnresolvedOrder = (tx: Tx, order: NewOrder): Promise<Order | undefined> =>
  tx.maybe<Order>(
    `select ${ORDER} from orders
     where account_id = $1 and method_id = $2 and credits = $3 and price_usd_cents = $4 and provider = $5
       and status = 'pending' and intent_id is null and kind <> 'auto' and created_at > clock_now() - interval '23 hours'
     order by id limit 1`,
    [order.account_id, order.method_id, order.credits, order.price_usd_cents, order.provider],
  );

/** What the account's own purchases charged in the last 24 hours, or may still charge: a browser can pay a declined intent again. */
export const sumOfOwnPurchases = async (tx: Tx, account_id: string): Promise<number> =>
  (
    await tx.one<{ cents: number }>(
      `select coalesce(sum(price_usd_cents), 0)::integer as cents from orders
       where account_id = $1 and kind <> 'auto'
         and (paid_at > clock_now() - interval '24 hours' or status = 'pending' or status = 'failed' and check_at is not null)
         -- An unpaid intent is canceled after a day.
         and id >= uuid_floor(clock_now() - interval '72 hours')`,
      [account_id],
    )
  ).cents;

/** Unpaid purchases of the last hour. */
export const countUnpaid = async (tx: Tx, account_id: string): Promise<number> =>
  (
    await tx.one<{ n: number }>(
      `select count(*) as n from orders where account_id = $1 and status <> 'succeeded'
         and id >= uuid_floor(clock_now() - interval '1 hour')`,
      [account_id],
    )
  ).n;

export const setRequestKey = (tx: Tx, id: string, request_key: Buffer | null): Promise<number> =>
  tx.run('update orders set request_key = $2 where id = $1', [id, request_key]);

/**
 * Records that the order's intent is about to be requested. Returns false if that could create a second one: the
 * order already has an intent, or the provider may have dropped the order's idempotency key. The trigger `orders_have_one_intent`
 * enforces the same rule.
 */
export const claimRequest = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.run(
    `update orders set asked_at = clock_now()
     where id = $1 and status = 'pending' and intent_id is null and created_at > clock_now() - interval '23 hours'`,
    [id],
  )) === 1;

export const markSucceeded = (
  tx: Tx,
  id: string,
  { intent_id, card }: { intent_id: string; card: { brand: string; last4: string } | null },
): Promise<number> =>
  tx.run(
    `update orders set status = 'succeeded', intent_id = $2, failure = null, card_brand = $3, card_last4 = $4,
       receipt_number = nextval('receipt_numbers'), check_at = null
     where id = $1`,
    [id, intent_id, card?.brand ?? null, card?.last4 ?? null],
  );

/** Never overwrites a success. `isOver` means that the intent is final. */
export const markStatus = (
  tx: Tx,
  { id }: Pick<Order, 'id'>,
  change: {
    status: Exclude<Order['status'], 'succeeded'>;
    failure: string | null;
    intent_id: string | null;
    isOver: boolean;
    /** whether the payer tried to pay */
    isTried?: boolean;
  },
): Promise<number> =>
  tx.run(
    `update orders set status = $2, failure = $3, intent_id = coalesce(intent_id, $4), is_tried = is_tried or $6,
       check_at = case when $5 then null else coalesce(check_at, ${FIRST_CHECK}) end
     where id = $1 and status <> 'succeeded'`,
    [id, change.status, change.failure, change.intent_id, change.isOver, change.isTried ?? false],
  );

/** Claims orders that have been open for ten minutes or more and schedules their next check. */
export const claimOrdersToCheck = (
  sql: Sql,
  { provider, most }: { provider: string; most: number },
): Promise<(Order & { is_old: boolean; is_in_flight: boolean })[]> =>
  sql.rows(
    `update orders set check_at = clock_now() + greatest(interval '5 minutes', (clock_now() - created_at) / 2)
     where id in (
       select id from orders where check_at <= clock_now() and provider = $1
       order by check_at limit $2 for update skip locked)
     returning ${ORDER}, created_at < clock_now() - interval '24 hours' as is_old,
       asked_at > clock_now() - interval '2 minutes' as is_in_flight`,
    [provider, most],
  );
