import type { listDisputes, OperatorDispute } from '#contract/operator-disputes.ts';
import type {
  listPurchases,
  OperatorPurchase,
  Reconciliation,
  refundPurchase,
} from '#contract/operator-payments.ts';
import type { Parsed } from '#contract/route.ts';
import { emailsOf } from '../accounts/accounts.ts';
import {
  getPurchase,
  openRefund,
  type PaymentsApp,
  providerOf,
  refundOrder,
  selectDisputes,
  selectFailingEvents,
  selectPurchases,
  selectUnmatched,
} from '../payments/payments.ts';
import { pageOf } from '../platform/db/page.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { findFact } from '../platform/facts.ts';
import { Failure } from '../platform/http/failure.ts';
import type { OperatorCaller } from '../platform/http/serve.ts';
import { recordAction } from './audit.ts';

/** Purchases of all accounts, their refunds, and what the comparison with the card provider found. */
export async function purchasesOf(
  sql: Queryable,
  { search, status, ordering, ...query }: Parsed<typeof listPurchases, 'query'>,
): Promise<{ results: OperatorPurchase[]; count: number }> {
  const filter = { search, status: status === 'all' ? null : status };
  const { purchases, count } = await selectPurchases(sql, filter, { ordering, ...pageOf(query) });
  return { results: await withEmails(sql, purchases), count };
}

export async function disputesOf(
  sql: Queryable,
  { search, state, ...query }: Parsed<typeof listDisputes, 'query'>,
): Promise<{ results: OperatorDispute[]; count: number }> {
  const { disputes, count } = await selectDisputes(sql, { search, state }, pageOf(query));
  return { results: await withEmails(sql, disputes), count };
}

async function withEmails<T extends { account_id: string }>(
  sql: Queryable,
  rows: readonly T[],
): Promise<(T & { email: string | null })[]> {
  const emails = await emailsOf(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  return rows.map((row) => ({ ...row, email: emails.get(row.account_id) ?? null }));
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
  const [refunded] = await withEmails(app.db, [await getPurchase(app.db, id)]);
  if (!refunded) throw new Failure('not_found');
  return refunded;
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
