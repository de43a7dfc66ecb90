import type Stripe from 'stripe';
import type { Config } from '../platform/config.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { API_BASE, type Server } from '../platform/http/server.ts';
import type { Needs } from '../platform/platform.ts';
import { type PaymentEvent, storeEvent } from './events.ts';
import { stripeClient } from './stripe.ts';

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
