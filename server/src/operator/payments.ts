import type {
  listPurchases,
  OperatorPurchase,
  Reconciliation,
  refundPurchase,
} from '#contract/operator-payments.ts';
import type { Parsed } from '#contract/route.ts';
import { openRefund, type PaymentsApp, providerOf, refundOrder } from '../payments/payments.ts';
import { orderBy, pageOf } from '../platform/db/page.ts';
import { likeLiteral, type Queryable } from '../platform/db/sql.ts';
import { findFact } from '../platform/facts.ts';
import { Failure } from '../platform/http/failure.ts';
import type { OperatorCaller } from '../platform/http/serve.ts';
import { isUuid } from '../platform/random.ts';
import { recordAction } from './audit.ts';

/** Purchases of all accounts, their refunds, and what the comparison with the card provider found. */
export async function purchasesOf(
  sql: Queryable,
  { search, status, ordering, ...query }: Parsed<typeof listPurchases, 'query'>,
): Promise<{ results: OperatorPurchase[]; count: number }> {
  const { limit, offset } = pageOf(query);
  const isId = isUuid(search);
  const params = [
    search === '' || isId ? null : `%${likeLiteral(search.toLowerCase())}%`,
    isId ? search : null,
    search,
    status === 'all' ? null : status,
  ];
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from ${FROM} where ${MATCHING}`,
    params,
  );
  const columns = { created_at: 'o.id', price_usd_cents: 'o.price_usd_cents' };
  const results = await sql.rows<OperatorPurchase>(
    `select ${SHOWN} from ${FROM} where ${MATCHING} order by ${orderBy(ordering, columns, 'o.id')} limit $5 offset $6`,
    [...params, limit, offset],
  );
  return { results, count };
}

/** The audit has the entry before the provider is asked. A refusal of the provider adds another entry. */
export async function refund(
  app: PaymentsApp,
  by: OperatorCaller,
  id: string,
  { cents, refund_id = app.random.uuid(), reason }: Parsed<typeof refundPurchase, 'body'>,
): Promise<OperatorPurchase> {
  const cards = providerOf(app);
  const opened = await openRefund(app, cards, { order_id: id, cents });
  const { order, refunded_before } = opened;
  const entry = {
    account_id: order.account_id,
    subject: `Purchase ${order.id}`,
    reason,
    before: { refunded_cents: refunded_before },
  };
  await app.db.transaction((tx) =>
    recordAction(tx, app, by, {
      ...entry,
      action: 'payment.refund',
      after: { refunded_cents: refunded_before + opened.cents },
    }),
  );
  try {
    await refundOrder(app, cards, { ...opened, refund_id });
  } catch (error) {
    const why = error instanceof Failure ? error.reason : 'internal_error';
    await app.db.transaction((tx) =>
      recordAction(tx, app, by, { ...entry, action: 'payment.refund_failed', after: { why } }),
    );
    throw error;
  }
  return getPurchase(app.db, id);
}

export async function reconciliationOf({
  db,
  cards,
}: Pick<PaymentsApp, 'db' | 'cards'>): Promise<Reconciliation> {
  const provider = cards?.name ?? 'none';
  const [fact, unmatched, failing_events] = await Promise.all([
    findFact(db, `payments_compared:${provider}`),
    selectUnmatched(db),
    selectFailingEvents(db),
  ]);
  return {
    provider,
    compared_at: fact?.changed_at ?? null,
    result: fact?.value ?? null,
    unmatched,
    failing_events,
  };
}

// ── statements ──

const FROM = 'orders o left join accounts a on a.id = o.account_id';
const IS_REVERSED = `exists (select from order_reversals r where r.order_id = o.id)`;
const MATCHING = `($1::text is null or a.search_text like $1 or o.intent_id = $3)
  and ($2::uuid is null or o.id = $2 or o.account_id = $2)
  and ($4::text is null or case $4 when 'reversed' then ${IS_REVERSED} else o.status = $4 end)`;
const SHOWN = `o.id, o.account_id, a.email, o.kind, o.credits, o.credits_taken, o.price_usd_cents, o.status, o.failure,
  o.intent_id as payment_intent_id, o.provider, o.created_at,
  case when o.card_brand is not null then o.card_brand || ' ending in ' || o.card_last4 end as card,
  (select coalesce(sum(r.cents), 0) from order_reversals r where r.order_id = o.id and r.state = 'taken') as refunded_cents,
  (select coalesce(json_agg(json_build_object('id', r.id,
       'kind', case when r.id like 're%' then 'refund' else 'dispute' end,
       'cents', r.cents, 'state', r.state, 'changed_at', iso(r.changed_at)) order by r.changed_at), '[]')
   from order_reversals r where r.order_id = o.id) as reversals`;

const getPurchase = (sql: Queryable, id: string): Promise<OperatorPurchase> =>
  sql.one<OperatorPurchase>(`select ${SHOWN} from ${FROM} where o.id = $1`, [id]);

const SHOWN_MOST = 50;

const selectUnmatched = (sql: Queryable): Promise<Reconciliation['unmatched']> =>
  sql.rows(
    `select intent_id as payment_intent_id, account_id, order_id, amount_cents, currency, reason, found_at, refunded_at,
       last_failure
     from unmatched_payments order by found_at desc limit ${SHOWN_MOST}`,
  );

const selectFailingEvents = (sql: Queryable): Promise<Reconciliation['failing_events']> =>
  sql.rows(
    `select id, type, tries, last_failure, received_at from payment_events
     where processed_at is null and last_failure is not null order by received_at desc limit ${SHOWN_MOST}`,
  );
