import type { Sql, Tx } from '../../../platform/db/sql.ts';
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
export const BOUGHT = [
  { days: 40.9, credits: 100, cents: 200, status: 'succeeded' },
  { days: 30.2, credits: 500, cents: 950, status: 'failed', failure: 'Your card was declined.' },
  { days: 30.1, credits: 500, cents: 950, status: 'succeeded' },
  { days: 12.4, credits: 1_000, cents: 1_800, status: 'canceled' },
  { days: 9.3, credits: 500, cents: 950, status: 'succeeded' },
] as const;

/** Credits that an operator gave. */
export const GIFT = { days: 26.5, credits: 25, reason: 'Apology for delayed messages' } as const;
/** How long after the start of a purchase its card was charged or declined. */
export const CHARGE_MS = 8_000;

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
        at: new Date(at.getTime() + CHARGE_MS),
      });
  }
  enter('adjustment', GIFT.credits, {
    reference: `adjustment:${app.random.uuid()}`,
    description: `Adjustment: ${GIFT.reason}`,
    at: new Date(now - GIFT.days * DAY_MS),
  });
  return purchases;
}

type Table =
  | 'accounts'
  | 'announcements'
  | 'api_keys'
  | 'audit_entries'
  | 'connections'
  | 'verifications'
  | 'status_history'
  | 'request_logs'
  | 'ledger'
  | 'orders'
  | 'payment_customers'
  | 'operator_actions'
  | 'operator_keys'
  | 'sandbox_cards'
  | 'sessions'
  | 'test_messages'
  | 'webhook_endpoints'
  | 'webhook_messages'
  | 'known_recipients'
  | 'webhook_attempts';

/** Inserts rows by column name. Missing columns get the table's default. */
export const insertRows = async (tx: Tx, table: Table, rows: readonly object[]): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).join(', ');
  await tx.run(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
};

export const accountExists = async (sql: Sql, email: string): Promise<boolean> =>
  (
    await sql.one<{ found: boolean }>('select exists (select from accounts where email = $1) as found', [
      email,
    ])
  ).found;

/** Creates the monthly partitions that the seed writes to. */
export const ensurePastMonths = (tx: Tx): Promise<number> =>
  tx.run(`select ensure_partitions((clock_now() - interval '2 months')::date, 3)`);

/**
 * Sets the balance to the sum of the ledger, the default threshold of warnings by the balance after credits were last added, and what
 * was spent today and this month (UTC) to its usage.
 */
export const openBalanceByLedger = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `insert into balances
       (account_id, credits, topped_up_to, warn_below, warning, spent_today, spent_this_month, spend_day)
     select $1, credits, topped_up_to, warn_below,
       case when credits = 0 then 'empty' when credits < warn_below then 'low' else 'none' end, today, month, now_utc::date
     from (select clock_now() at time zone 'UTC' as now_utc) c,
       lateral (
         select coalesce(sum(credits), 0)::integer as credits,
           coalesce(sum(credits) filter (where at_utc <= last_added_at), 0)::integer as topped_up_to,
           coalesce(-sum(credits) filter (where kind = 'usage' and at_utc >= date_trunc('day', now_utc)), 0)::integer as today,
           coalesce(-sum(credits) filter (where kind = 'usage' and at_utc >= date_trunc('month', now_utc)), 0)::integer as month
         from (
           select kind, credits, created_at at time zone 'UTC' as at_utc,
             max(created_at at time zone 'UTC') filter (where kind in ('welcome', 'purchase', 'adjustment')) over () as last_added_at
           from ledger where account_id = $1
         ) l
       ) s,
       lateral warn_below_of($1, topped_up_to) as warn_below`,
    [account_id],
  );

export const numberReceipts = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `update orders set receipt_number = nextval('receipt_numbers') where account_id = $1 and status = 'succeeded'`,
    [account_id],
  );
