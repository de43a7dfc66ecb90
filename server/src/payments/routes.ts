import {
  calculatePrice,
  confirmPayment,
  confirmSandboxPayment,
  createIntent,
  createWithSaved,
  deletePaymentMethod,
  exportTransactions,
  getAutoPurchase,
  getReceipt,
  listPackages,
  listPaymentMethods,
  listTransactions,
  updateAutoPurchase,
} from '@sixdigit/contract/payments.ts';
import { getPrices } from '@sixdigit/contract/prices.ts';
import { API_BASE, type Parsed, type Reply } from '@sixdigit/contract/route.ts';
import { changeAutoPurchase } from '../accounts/accounts.ts';
import { withIdempotentResponse } from '../otp/idempotency/idempotency.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { containing } from '../platform/db/page.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { Failure } from '../platform/http/failure.ts';
import { requestIdentity } from '../platform/http/idempotency-key.ts';
import { type Call, requireStepUp, type Server, serve, type UserCaller } from '../platform/http/serve.ts';
import { autoPurchaseOf } from './auto-purchase-state.ts';
import type { CardProvider } from './card-provider.ts';
import { stripeWebhook } from './events.ts';
import { settle } from './fulfil.ts';
import { type Row, receiptOf, selectTransactionPart, transactionsOf } from './history.ts';
import { confirm, hasSavedCard, type PaymentsApp, providerOf, removeCard, savedCards } from './payments.ts';
import { bundles, quote } from './pricing.ts';
import { buyWithNewCard, buyWithSavedCard, type PurchaseRequest } from './purchase.ts';
import { confirmSandboxIntent } from './sandbox.ts';

export function paymentRoutes(server: Server, app: PaymentsApp): void {
  serve(server, listPackages, () => bundles(app.prices.current()));
  serve(server, getPrices, () => {
    const { bundles: _, ...prices } = app.prices.current();
    return prices;
  });
  serve(server, calculatePrice, ({ body }) => quote(app.prices.current(), body.credits));
  serve(server, listPaymentMethods, async ({ caller }) => ({
    payment_methods: await savedCards(app, caller.account_id),
  }));
  serve(server, deletePaymentMethod, async ({ caller, params }) => {
    await removeCard(app, caller, params.id);
    return undefined;
  });
  serve(server, getAutoPurchase, ({ caller }) => autoPurchaseOf(app, caller.account_id));
  serve(server, updateAutoPurchase, async ({ caller, body }) => {
    const { account_id } = caller;
    await changeAutoPurchase({ ...app, hasSavedCard: (id) => hasSavedCard(app, id) }, caller, body);
    return autoPurchaseOf(app, account_id);
  });
  serve(server, createIntent, (call) => {
    // A saved card can be charged later without its owner.
    if (call.body.save_payment_method) requireStepUp(call.caller);
    return once(app, createIntent, call, buyWithNewCard);
  });
  serve(server, createWithSaved, (call) => once(app, createWithSaved, call, buyWithSavedCard));
  serve(server, confirmPayment, ({ caller, body }) =>
    confirm(app, caller.account_id, body.payment_intent_id),
  );
  serve(server, listTransactions, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => transactionsOf({ db }, caller.account_id, query)),
  );
  serve(server, exportTransactions, ({ query, ...call }) =>
    exportCsv(app, { server, ...call }, transactionExport(call.caller.account_id, query)),
  );
  serve(server, getReceipt, ({ caller, params }) => receiptOf(app, caller.account_id, params.id));
  serve(server, confirmSandboxPayment, async ({ caller, body }) => {
    if (app.cards?.name !== 'sandbox') throw new Failure('not_found');
    const intent = await confirmSandboxIntent(app, caller.account_id, body);
    // A real card provider would send an event here.
    await settle(app, intent);
    return {
      payment_intent_id: intent.id,
      status: intent.status as Reply<typeof confirmSandboxPayment>['status'],
      ...(intent.failure ? { error: intent.failure.message } : {}),
    };
  });
  if (app.config.stripe) stripeWebhook(server, app, app.config.stripe);
}

type Buying = typeof createIntent | typeof createWithSaved;

/** Makes a purchase with an Idempotency-Key happen once. */
function once<R extends Buying>(
  app: PaymentsApp,
  route: R,
  { caller, body, request, reply }: Call<R>,
  buy: (app: PaymentsApp, cards: CardProvider, purchase: PurchaseRequest<R>) => Promise<Reply<R>>,
): Promise<Reply<R>> {
  const cards = providerOf(app);
  const { account_id, person_id, is_proven, ip_address, user_agent } = caller as UserCaller;
  const by = { account_id, person_id, is_proven, origin: { ip_address, user_agent } };
  const identity = requestIdentity(app, request, body);
  if (!identity) return buy(app, cards, { ...by, body, request_key: null });
  const asked = { account_id, endpoint: API_BASE + route.path, ...identity };
  return withIdempotentResponse(app, asked, reply, () =>
    buy(app, cards, { ...by, body, request_key: identity.key }),
  );
}

/** The payment history as CSV. Credits that leave the account are negative. */
const transactionExport = (
  account_id: string,
  { search, type }: Parsed<typeof exportTransactions, 'query'>,
): Exported<Row> => ({
  name: 'payment-history',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'transaction_type', cell: (row) => row.transaction_type },
    { header: 'kind', cell: (row) => row.kind },
    { header: 'description', cell: (row) => row.description },
    {
      header: 'credits',
      cell: (row) => (row.transaction_type === 'usage' ? -row.amount : row.amount),
    },
    { header: 'price_usd_cents', cell: (row) => row.price_usd_cents },
    { header: 'payment_status', cell: (row) => row.payment_status },
  ],
  part: (tx, below) =>
    selectTransactionPart(tx, account_id, { text: containing(search), type }, { below, most: PART_ROWS }),
});
