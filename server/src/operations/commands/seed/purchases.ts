import type { Needs } from '../../../platform/platform.ts';
import { idAt } from './history.ts';

/** Rows of the demo account's successful and failed purchases. */
export interface Purchases {
  ledger: object[];
  orders: object[];
  payment_customers: object[];
  sandbox_cards: object[];
}

const DAY_MS = 86_400_000;
const BOUGHT = [
  { days: 40.9, credits: 100, cents: 200, status: 'succeeded' },
  { days: 30.2, credits: 500, cents: 950, status: 'failed', failure: 'Your card was declined.' },
  { days: 30.1, credits: 500, cents: 950, status: 'succeeded' },
  { days: 12.4, credits: 1_000, cents: 1_800, status: 'canceled' },
] as const;

export function purchasesOf(
  app: Needs<'clock' | 'random' | 'config'>,
  account_id: string,
  since: Date,
): Purchases {
  const now = app.clock.now().getTime();
  const token = () => app.random.bytes(9).toString('hex');
  const customer_id = `cus_sandbox_${token()}`;
  const card_id = `pm_sandbox_${token()}`;
  const purchases: Purchases = {
    ledger: [],
    orders: [],
    payment_customers: [
      { account_id, provider: 'sandbox', customer_id, last_method_id: card_id, created_at: since },
    ],
    sandbox_cards: [
      {
        id: card_id,
        customer_id,
        behaviour: 'succeeds',
        brand: 'visa',
        last4: '4242',
        exp_month: 12,
        exp_year: app.clock.now().getUTCFullYear() + 3,
        created_at: since,
      },
    ],
  };
  const enter = (
    kind: string,
    credits: number,
    entry: { reference: string; description: string; at: Date },
  ) => {
    const { reference, description, at } = entry;
    const id = idAt(at);
    purchases.ledger.push({ account_id, id, kind, reference, credits, description, created_at: at });
  };
  const { welcomeCredits } = app.config;
  if (welcomeCredits > 0)
    enter('welcome', welcomeCredits, {
      reference: `welcome:${account_id}`,
      description: 'Welcome credits',
      at: since,
    });
  for (const bought of BOUGHT) {
    const at = new Date(now - bought.days * DAY_MS);
    const intent_id = `pi_sandbox_${token()}`;
    const isPaid = bought.status === 'succeeded';
    purchases.orders.push({
      id: idAt(at),
      account_id,
      kind: 'bundle',
      credits: bought.credits,
      price_usd_cents: bought.cents,
      status: bought.status,
      provider: 'sandbox',
      customer_id,
      saves_method: isPaid,
      intent_id,
      failure: 'failure' in bought ? bought.failure : null,
      card_brand: isPaid ? 'visa' : null,
      card_last4: isPaid ? '4242' : null,
      credits_taken: 0,
      created_at: at,
      asked_at: at,
    });
    if (isPaid)
      enter('purchase', bought.credits, {
        reference: `purchase:${intent_id}`,
        description: `Credit bundle: ${bought.credits} credits`,
        at: new Date(at.getTime() + 8_000),
      });
  }
  return purchases;
}
