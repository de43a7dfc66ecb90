import type { PaymentMethod } from '@sixdigit/contract/payments.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import type { Reversal } from './card-provider.ts';
import type { CardFailure, TestCard } from './test-cards.ts';

/** The card that paid an intent or awaits authentication. `id` is set if the card is saved. */
export type HeldCard = TestCard & { id: string | null };

export interface SandboxIntent {
  id: string;
  client_secret: string;
  order_id: string;
  account_id: string;
  customer_id: string;
  amount_cents: number;
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled';
  saves_method: boolean;
  card: HeldCard | null;
  failure: CardFailure | null;
}

const INTENT = `id, client_secret, order_id, account_id, customer_id, amount_cents, status, saves_method, card, failure`;

type NewSandboxIntent = Omit<SandboxIntent, 'status' | 'card' | 'failure'>;

/** Inserts nothing if the order already has an intent. */
export const insertIntent = (sql: Queryable, intent: NewSandboxIntent): Promise<number> =>
  sql.run(
    `insert into sandbox_intents (id, client_secret, order_id, account_id, customer_id, amount_cents, saves_method, status,
       created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'requires_payment_method', clock_now()) on conflict (order_id) do nothing`,
    [
      intent.id,
      intent.client_secret,
      intent.order_id,
      intent.account_id,
      intent.customer_id,
      intent.amount_cents,
      intent.saves_method,
    ],
  );

export const findIntentBy = (
  sql: Queryable,
  column: 'id' | 'order_id',
  value: string,
): Promise<SandboxIntent | undefined> =>
  sql.maybe<SandboxIntent>(`select ${INTENT} from sandbox_intents where ${column} = $1`, [value]);

export const lockIntentOfSecret = (
  tx: Tx,
  account_id: string,
  client_secret: string,
): Promise<SandboxIntent | undefined> =>
  tx.maybe<SandboxIntent>(
    `select ${INTENT} from sandbox_intents where account_id = $1 and client_secret = $2 for update`,
    [account_id, client_secret],
  );

export const updateIntent = (tx: Tx, { id, status, card, failure }: SandboxIntent): Promise<number> =>
  tx.run(`update sandbox_intents set status = $2, card = $3, failure = $4 where id = $1`, [
    id,
    status,
    card && JSON.stringify(card),
    failure && JSON.stringify(failure),
  ]);

export const cancelOpenIntent = (sql: Sql, id: string): Promise<number> =>
  sql.run(`update sandbox_intents set status = 'canceled' where id = $1 and status <> 'succeeded'`, [id]);

export const selectSucceededSince = (sql: Sql, at: Date): Promise<SandboxIntent[]> =>
  sql.rows<SandboxIntent>(
    `select ${INTENT} from sandbox_intents where status = 'succeeded' and created_at >= $1 order by id`,
    [at],
  );

export const insertCard = (tx: Tx, customer_id: string, id: string, card: TestCard): Promise<number> =>
  tx.run(
    `insert into sandbox_cards (id, customer_id, behaviour, brand, last4, exp_month, exp_year, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_now())`,
    [id, customer_id, card.behaviour, card.brand, card.last4, card.exp_month, card.exp_year],
  );

export const findCard = (sql: Queryable, customer_id: string, id: string): Promise<HeldCard | undefined> =>
  sql.maybe<HeldCard>(
    `select id, behaviour, brand, last4, exp_month, exp_year from sandbox_cards where customer_id = $1 and id = $2`,
    [customer_id, id],
  );

export const selectCards = (sql: Sql, customer_id: string): Promise<PaymentMethod[]> =>
  sql.rows<PaymentMethod>(
    `select id, brand, last4, exp_month, exp_year from sandbox_cards where customer_id = $1
     order by created_at desc, id desc`,
    [customer_id],
  );

export const deleteCard = (sql: Sql, customer_id: string, id: string): Promise<number> =>
  sql.run('delete from sandbox_cards where customer_id = $1 and id = $2', [customer_id, id]);

export const deleteCards = (sql: Sql, customer_id: string): Promise<number> =>
  sql.run('delete from sandbox_cards where customer_id = $1', [customer_id]);

/** False if all refunds together would exceed the payment. A repeated refund changes nothing. */
export async function insertRefund(
  tx: Tx,
  { intent_id, cents, refund_id }: { intent_id: string; cents: number; refund_id: string },
): Promise<boolean> {
  const id = `re_sandbox_${refund_id}`;
  await tx.run('select 1 from sandbox_intents where id = $1 for update', [intent_id]);
  if (await tx.maybe('select 1 from sandbox_refunds where id = $1', [id])) return true;
  const inserted = await tx.run(
    `insert into sandbox_refunds (id, intent_id, cents, created_at)
     select $1, i.id, $3::integer, clock_now() from sandbox_intents i
     where i.id = $2 and i.status = 'succeeded'
       and i.amount_cents >= $3::integer + (select coalesce(sum(r.cents), 0) from sandbox_refunds r where r.intent_id = i.id)`,
    [id, intent_id, cents],
  );
  return inserted === 1;
}

export const selectRefunds = (sql: Sql, intent_id: string): Promise<Reversal[]> =>
  sql.rows<Reversal>(
    `select id, 'refund' as kind, cents, 'taken' as state from sandbox_refunds where intent_id = $1 order by created_at`,
    [intent_id],
  );
