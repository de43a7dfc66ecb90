import type Stripe from 'stripe';
import type { Config } from '../platform/config.ts';
import type { Sql } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { API_BASE, type Server } from '../platform/http/server.ts';
import type { Needs } from '../platform/platform.ts';
import type { CardProvider } from './card-provider.ts';
import { settle } from './fulfil.ts';
import type { PaymentsApp } from './payments.ts';
import { applyReversals } from './reversals.ts';
import { stripeClient } from './stripe.ts';

/** The part of an event that is used: only the intent's id. The state is then fetched from the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  intent_id: string | null;
}

type App = PaymentsApp;

const BATCH_SIZE = 10;

/** Stores the event before it is acknowledged. A repeated event is ignored once the event has been processed. */
export async function storeEvent(app: Needs<'db' | 'wakeups'>, event: PaymentEvent): Promise<void> {
  await app.db.run(
    `insert into payment_events as e (id, type, intent_id, received_at, run_at)
     values ($1, $2, $3, clock_now(), clock_now())
     on conflict (id) do update set run_at = least(e.run_at, clock_now()) where e.processed_at is null`,
    [event.id, event.type, event.intent_id],
  );
  app.wakeups.notify('payment-events');
}

/** Processes due events; failed ones are retried with increasing delays. Returns true if more may wait. */
export async function processEvents(app: App, cards: CardProvider): Promise<boolean> {
  const events = await claimEvents(app.db);
  await Promise.all(
    events.map(async (event) => {
      try {
        await process(app, cards, event);
        await markProcessed(app.db, event.id);
      } catch (error) {
        app.log.warn(
          { err: error, event_id: event.id, type: event.type },
          'payment event failed, retrying later',
        );
        await putEventBack(app.db, event.id, error instanceof Error ? error.message : String(error));
      }
    }),
  );
  return events.length === BATCH_SIZE;
}

async function process(app: App, cards: CardProvider, { intent_id, type }: PaymentEvent): Promise<void> {
  if (intent_id === null) return;
  await refresh(app, cards, { intent_id, isDisputed: type.startsWith('charge.dispute.') });
}

// ── statements ──

/** Claims events for one minute. After a crash, another process can claim them again. */
const claimEvents = (sql: Sql): Promise<PaymentEvent[]> =>
  sql.rows<PaymentEvent>(
    `update payment_events set run_at = clock_now() + interval '1 minute', tries = tries + 1
     where id in (
       select id from payment_events where processed_at is null and run_at <= clock_now()
       order by run_at limit ${BATCH_SIZE} for update skip locked)
     returning id, type, intent_id`,
  );

const markProcessed = (sql: Sql, id: string): Promise<number> =>
  sql.run('update payment_events set processed_at = clock_now(), last_failure = null where id = $1', [id]);

const putEventBack = (sql: Sql, id: string, failure: string): Promise<number> =>
  sql.run(
    `update payment_events set last_failure = $2,
       run_at = clock_now() + least(interval '1 hour', interval '5 seconds' * power(2, least(tries, 12) - 1))
     where id = $1 and processed_at is null`,
    [id, failure.slice(0, 500)],
  );

export const deleteOldEvents = (sql: Sql): Promise<number> =>
  sql.run(
    `delete from payment_events where received_at < clock_now() - interval '60 days' and processed_at is not null`,
  );

/** Applies the provider's present state of an intent, with its refunds and disputes, to its order. */
export async function refresh(
  app: PaymentsApp,
  cards: CardProvider,
  { intent_id, isDisputed }: { intent_id: string; isDisputed: boolean },
): Promise<void> {
  const intent = await cards.findIntent(intent_id);
  const order = intent && (await settle(app, intent));
  if (!order || !intent) return;
  // An inquiry moves no money, so it may be missing from the charge.
  const is_reversed = intent.is_reversed || isDisputed;
  await applyReversals(app, cards, { order, intent: { ...intent, is_reversed } });
}

export const STRIPE_WEBHOOK_PATH = `${API_BASE}/payments/stripe-webhook/`;
const ONE_MIB = 1024 * 1024;
const TOLERANCE_SECONDS = 300;

/**
 * Receives Stripe's events: verifies the signature over the raw bytes, at most 300 s old, and stores the event before
 * acknowledging it.
 */
export function stripeWebhook(
  server: Server,
  app: Needs<'db' | 'clock' | 'wakeups'>,
  settings: NonNullable<Config['stripe']>,
): void {
  const { webhooks } = stripeClient(settings);
  server.post(STRIPE_WEBHOOK_PATH, { bodyLimit: ONE_MIB }, async (request, reply) => {
    const header = request.headers['stripe-signature'];
    const now = app.clock.now().getTime();
    let event: Stripe.Event;
    try {
      if (typeof header !== 'string' || isFromTheFuture(header, now)) throw new Error('No signature');
      event = webhooks.constructEvent(
        request.rawBody ?? '',
        header,
        settings.webhookSecret,
        TOLERANCE_SECONDS,
        undefined,
        now,
      );
    } catch {
      throw new FieldErrors({ 'Stripe-Signature': ['The signature does not belong to this request.'] });
    }
    const kept = eventOf(event);
    if (kept) await storeEvent(app, kept);
    return reply.send({ received: true });
  });
}

/** The Stripe client rejects only signatures that are too old. */
function isFromTheFuture(header: string, nowMs: number): boolean {
  const seconds = Number(/(?:^|,)t=(\d+)/.exec(header)?.[1]);
  return !(seconds <= nowMs / 1000 + TOLERANCE_SECONDS);
}

/** Returns the intent of an event that can change an order. */
function eventOf({ id, type, data }: Stripe.Event): PaymentEvent | undefined {
  const object = data.object as { id?: string; payment_intent?: string | { id: string } | null };
  if (type.startsWith('payment_intent.')) return { id, type, intent_id: object.id ?? null };
  if (!/^(charge|refund)\./.test(type)) return undefined;
  const { payment_intent } = object;
  const intent_id = typeof payment_intent === 'string' ? payment_intent : payment_intent?.id;
  return intent_id === undefined ? undefined : { id, type, intent_id };
}
