import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { CardProvider } from './card-provider.ts';
import type { PaymentsApp } from './payments.ts';
import { refresh } from './refresh.ts';

/** The part of an event that is used: only the intent's id. The state is then fetched from the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  intent_id: string | null;
}

type App = PaymentsApp;

const BATCH_SIZE = 10;

/** Stores the event before it is acknowledged. A repeated event has an effect only until it is processed. */
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
