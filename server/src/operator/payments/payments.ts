import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { listDisputes, type OperatorDispute } from '@sixdigit/contract/operator/disputes.ts';
import {
  getReconciliation,
  listPurchases,
  type OperatorPurchase,
  type Reconciliation,
  refundPurchase,
} from '@sixdigit/contract/operator/payments.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { emailsOf } from '../../accounts/accounts.ts';
import {
  getPurchase,
  lockOrder,
  openRefund,
  type PaymentsApp,
  providerOf,
  refundable,
  refundOrder,
  selectDisputes,
  selectFailingEvents,
  selectPurchases,
  selectUnmatched,
} from '../../payments/payments.ts';
import { findFact } from '../../platform/db/facts.ts';
import { pageOf } from '../../platform/db/page.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { exportCsv } from '../../platform/export/export.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import { isStillOperator } from '../access/access.ts';
import { findRefund, recordAction } from '../audit.ts';
import type { Readers } from '../reading.ts';
import { accountingExport } from './accounting.ts';

export function paymentRoutes(server: Server, app: PaymentsApp, { read }: Readers): void {
  read(listPurchases, ({ db, query, whole }) => purchasesOf(db, query, whole));
  serve(server, refundPurchase, ({ caller, params, body }) => refund(app, caller, params.id, body));
  serve(server, getReconciliation, () => reconciliationOf(app));
  read(listDisputes, ({ db, query }) => disputesOf(db, query));
  const stillOperator = { isSessionOpen: (caller: OperatorCaller) => isStillOperator(app, caller) };
  serve(server, exportAccounting, async ({ query, ...call }) => {
    const stream = await exportCsv(
      app,
      { server: stillOperator, isOperator: true, ...call },
      accountingExport(query),
    );
    // The export reads the payments of all accounts, so the audit entry is written before the first row is sent.
    const { from, to } = query;
    await app.db
      .transaction((tx) =>
        recordAction(tx, app, call.caller, {
          action: 'payment.export',
          subject: `Accounting ${from} to ${to}`,
        }),
      )
      .catch((error: unknown) => {
        stream.destroy();
        throw error;
      });
    return stream;
  });
}

/** Purchases of all accounts, their refunds, and the discrepancies that reconciliation with the card provider has found. */
export async function purchasesOf(
  sql: Queryable,
  { search, status, ordering, ...query }: Parsed<typeof listPurchases, 'query'>,
  phone: string | null,
): Promise<{ results: OperatorPurchase[]; count: number }> {
  const filter = { search, phone, status: status === 'all' ? null : status };
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

/**
 * Writes the audit entry before the request to the provider, and another one if the provider refuses. A repeated `refund_id`
 * repeats the request without another entry, and the provider refunds it only once.
 */
export async function refund(
  app: PaymentsApp,
  by: OperatorCaller,
  id: string,
  { cents, refund_id: given = app.random.uuid(), reason }: Parsed<typeof refundPurchase, 'body'>,
): Promise<OperatorPurchase> {
  const cards = providerOf(app);
  const refund_id = given.toLowerCase();
  const { order, intent_id } = await refundable(app, cards, id);
  const entry = { account_id: order.account_id, subject: `Purchase ${order.id}`, reason };
  const opened = await app.db.transaction(async (tx) => {
    // The lock makes refunds of one purchase begin one after the other, so that each entry contains the amount refunded before
    // it.
    await lockOrder(tx, order.id);
    const earlier = await findRefund(tx, { order_id: order.id, account_id: order.account_id, refund_id });
    if (earlier) return { before: earlier.before.refunded_cents, after: earlier.after.refunded_cents };
    const fresh = await openRefund({ db: tx }, cards, { order_id: id, cents });
    const [before, after] = [fresh.refunded_before, fresh.refunded_before + fresh.cents];
    await recordAction(tx, app, by, {
      ...entry,
      action: 'payment.refund',
      before: { refunded_cents: before },
      after: { refunded_cents: after, refund_id },
    });
    return { before, after };
  });
  try {
    await refundOrder(app, cards, { order, intent_id, cents: opened.after - opened.before, refund_id });
  } catch (error) {
    const why = error instanceof Failure ? error.reason : 'internal_error';
    await app.db.transaction((tx) =>
      recordAction(tx, app, by, {
        ...entry,
        action: 'payment.refund_failed',
        before: { refunded_cents: opened.before },
        after: { why, refund_id },
      }),
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
