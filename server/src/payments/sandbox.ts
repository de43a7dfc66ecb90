import type { Sql, Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { type CardProvider, type Intent, type IntentOrder, ProviderRefused } from './card-provider.ts';
import {
  cancelOpenIntent,
  deleteCard,
  deleteCards,
  findCard,
  findIntentBy,
  type HeldCard,
  insertCard,
  insertIntent,
  insertRefund,
  lockIntentOfSecret,
  type SandboxIntent,
  selectCards,
  selectRefunds,
  selectSucceededSince,
  updateIntent,
} from './sandbox-queries.ts';
import {
  type CardEntry,
  declineOf,
  failedAuthentication,
  needsAuthentication,
  readCard,
} from './test-cards.ts';

type App = Needs<'db' | 'random' | 'clock'>;

/** Test cards without a card provider. No money moves; all other behavior matches a real provider. */
export function createSandboxCards(app: App): CardProvider {
  const { db, random } = app;
  return {
    name: 'sandbox',
    createCustomer: async ({ account_id }) => `cus_sandbox_${account_id}`,
    deleteCustomer: async (customer_id) => void (await deleteCards(db, customer_id)),

    async createIntent(order) {
      const id = `pi_sandbox_${random.uuid()}`;
      await db.transaction(async (tx) => {
        const isNew = await insertIntent(tx, {
          id,
          client_secret: `${id}_secret_${random.token()}`,
          order_id: order.id,
          account_id: order.account_id,
          customer_id: order.customer_id,
          amount_cents: order.price_usd_cents,
          saves_method: order.saves_method,
        });
        if (isNew && order.method_id !== null) await chargeSaved(tx, app, order, order.method_id);
      });
      const made = await findIntentBy(db, 'order_id', order.id);
      if (!made) throw new Error(`The sandbox lost the intent of order ${order.id}`);
      return intentOf(made);
    },

    findIntent: (id) => find(db, 'id', id),
    findIntentOfOrder: ({ id }) => find(db, 'order_id', id),
    async cancelIntent(id) {
      await cancelOpenIntent(db, id);
      return find(db, 'id', id);
    },
    listCards: (customer_id) => selectCards(db, customer_id),
    removeCard: async (customer_id, id) => (await deleteCard(db, customer_id, id)) === 1,
    // Sandbox payments move no money, so an unmatched one needs no refund.
    refund: async () => undefined,
    refundPart: (refund) => db.transaction((tx) => refundIntent(tx, refund)),
    reversalsOf: async (intent_id) => ({ reversals: await selectRefunds(db, intent_id), disputes: [] }),
    async *succeededSince(at) {
      for (const intent of await selectSucceededSince(db, at)) yield intentOf(intent);
    },
    async *disputedSince() {},
  };
}

async function refundIntent(
  tx: Tx,
  refund: { intent_id: string; cents: number; refund_id: string },
): Promise<void> {
  if (!(await insertRefund(tx, refund)))
    throw new ProviderRefused(undefined, { because: 'The refund exceeds the payment', fault: 'operator' });
}

async function chargeSaved(tx: Tx, app: App, order: IntentOrder, method_id: string): Promise<void> {
  const intent = await findIntentBy(tx, 'order_id', order.id);
  const card = await findCard(tx, order.customer_id, method_id);
  if (!intent || !card) throw new ProviderRefused(undefined, { because: 'No such card', fault: 'card' });
  await updateIntent(
    tx,
    await attempt(tx, app, intent, card, order.kind === 'auto' ? 'off_session' : 'asking'),
  );
}

export interface Confirmation {
  client_secret: string;
  card?: CardEntry | undefined;
  /** The outcome of the bank's authentication. */
  authentication?: 'completed' | 'failed' | undefined;
}

/**
 * Simulates the card provider's browser script. Throws `not_found` if the secret does not exist or belongs to another account.
 */
export function confirmSandboxIntent(
  app: App,
  account_id: string,
  { client_secret, card, authentication }: Confirmation,
): Promise<Intent> {
  return app.db.transaction(async (tx) => {
    const intent = await lockIntentOfSecret(tx, account_id, client_secret);
    if (!intent) throw new Failure('not_found');
    const next = await confirmed(tx, app, intent, card, authentication);
    if (next !== intent) await updateIntent(tx, next);
    return intentOf(next);
  });
}

async function confirmed(
  tx: Tx,
  app: App,
  intent: SandboxIntent,
  entry: CardEntry | undefined,
  authentication: Confirmation['authentication'],
): Promise<SandboxIntent> {
  if (intent.status === 'requires_action' && intent.card && authentication) {
    return authentication === 'completed'
      ? attempt(tx, app, intent, intent.card, 'confirmed')
      : { ...intent, status: 'requires_payment_method', card: null, failure: failedAuthentication };
  }
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
  if (!isOpen || !entry) return intent;
  const card = readCard(entry, app.clock.now());
  if ('code' in card) return { ...intent, status: 'requires_payment_method', card: null, failure: card };
  return attempt(tx, app, intent, { ...card, id: null }, 'asking');
}

/** Charges a card. If the card requires authentication, the intent waits for the customer, or is declined off-session. */
async function attempt(
  tx: Tx,
  { random }: App,
  intent: SandboxIntent,
  card: HeldCard,
  how: 'asking' | 'confirmed' | 'off_session',
): Promise<SandboxIntent> {
  if (card.behaviour === 'asks' && how === 'asking')
    return { ...intent, status: 'requires_action', card, failure: null };
  const failure =
    card.behaviour === 'asks' && how === 'off_session' ? needsAuthentication : declineOf(card.behaviour);
  if (failure) return { ...intent, status: 'requires_payment_method', card: null, failure };
  const paid: SandboxIntent = { ...intent, status: 'succeeded', card, failure: null };
  if (!intent.saves_method || card.id !== null) return paid;
  const id = `pm_sandbox_${random.uuid()}`;
  await insertCard(tx, intent.customer_id, id, card);
  return { ...paid, card: { ...card, id } };
}

async function find(sql: Sql, column: 'id' | 'order_id', value: string): Promise<Intent | undefined> {
  const found = await findIntentBy(sql, column, value);
  return found && intentOf(found);
}

const intentOf = (intent: SandboxIntent): Intent => ({
  id: intent.id,
  status: intent.status,
  client_secret: intent.client_secret,
  order_id: intent.order_id,
  account_id: intent.account_id,
  credits: null,
  customer_id: intent.customer_id,
  amount_cents: intent.amount_cents,
  currency: 'usd',
  card:
    intent.status === 'succeeded' && intent.card
      ? { brand: intent.card.brand, last4: intent.card.last4 }
      : null,
  saved_method_id: intent.card?.id ?? null,
  is_reversed: false,
  failure: intent.failure,
});
