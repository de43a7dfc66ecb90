import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { listDisputes } from '@sixdigit/contract/operator/disputes.ts';
import { getReconciliation, listPurchases, refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import type { PaymentsApp } from '../../payments/payments.ts';
import { exportCsv } from '../../platform/export/export.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import { isStillOperator } from '../access/access.ts';
import { recordAction } from '../audit.ts';
import type { Readers } from '../reading.ts';
import { accountingExport } from './accounting.ts';
import { disputesOf, purchasesOf, reconciliationOf, refund } from './payments.ts';

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
    // Reads the money of all accounts, so it is audited before the first row leaves.
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
