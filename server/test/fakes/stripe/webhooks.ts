import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import type { Account } from './account.ts';
import { matches } from './events.ts';

export interface Endpoint {
  url: string;
  secret: string;
  /** Event types, with `*` at the end for a family; all unless given. */
  events?: string[];
}

/** One delivery attempt. `status` is absent if there was no response. */
export interface Delivery {
  event: string;
  type: string;
  url: string;
  attempt: number;
  status?: number;
}

/** Events held until a test releases them. */
export interface HeldWebhooks {
  readonly count: number;
  release(order?: 'in order' | 'reversed'): void;
  drop(): void;
}

export interface Webhooks {
  endpoints: Endpoint[];
  deliveries: Delivery[];
  /** Never delivers the next `times` events of this type, not even on a retry. */
  drop(type: string, times?: number): void;
  /** Delivers the next `times` events of this type late. */
  delay(type: string, ms: number, times?: number): void;
  /** Delivers the next `times` events of this type `copies` times, all at once. */
  duplicate(type: string, copies?: number, times?: number): void;
  /** Holds the next `count` events of this type, then delivers them in reverse order. */
  reorder(type: string, count: number): void;
  /** Holds every event of this type until it is released. */
  hold(type: string): HeldWebhooks;
  /** Sends an event once more, as the dashboard's Resend does. */
  resend(eventId: string): Promise<void>;
  /** Attempts every due or waiting event until it is delivered or given up. */
  drain(): Promise<void>;
  clearFaults(): void;
}

/** `Stripe-Signature` of a body: https://docs.stripe.com/webhooks#verify-manually. */
export function signWebhook(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signature}`;
}

interface Rule {
  type: string;
  left: number;
  apply: (event: Stripe.Event) => void;
}

interface Waiting {
  event: Stripe.Event;
  endpoint: Endpoint;
  attempt: number;
  timer?: NodeJS.Timeout;
}

export interface DeliveryOptions {
  /** Pauses before the second, third … try of an event; after the last it is given up. */
  retryDelaysMs: number[];
  timeoutMs: number;
  /** Delivers an event, over the network unless a test injects it into a router. Returns the status. */
  send?: ((delivery: SignedDelivery) => Promise<number>) | undefined;
}

export interface SignedDelivery {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Delivers events to the endpoints, signed, one after the other; anything but a 2xx response is retried.
 * `stop` ends the retries.
 */
export function deliverWebhooks(account: Account, options: DeliveryOptions): Webhooks & { stop(): void } {
  const endpoints: Endpoint[] = [];
  const deliveries: Delivery[] = [];
  const retries = new Set<Waiting>();
  let rules: Rule[] = [];
  let line: Promise<void> = Promise.resolve();
  let isStopped = false;

  account.onEvent = (event) => {
    event.pending_webhooks = wanting(event).length;
    const rule = rules.find((one) => one.left > 0 && matches(one.type, event.type));
    if (!rule) return enqueue(event);
    rule.left -= 1;
    rule.apply(event);
  };

  const wanting = (event: Stripe.Event) =>
    endpoints.filter((one) => (one.events ?? ['*']).some((pattern) => matches(pattern, event.type)));

  function enqueue(event: Stripe.Event): void {
    for (const endpoint of wanting(event)) {
      line = line.then(() => attempt({ event, endpoint, attempt: 1 }));
    }
  }

  async function attempt(waiting: Waiting): Promise<void> {
    if (isStopped) return;
    const { event, endpoint } = waiting;
    const status = await post(endpoint, JSON.stringify(event, null, 2));
    const { attempt: tries } = waiting;
    deliveries.push({
      event: event.id,
      type: event.type,
      url: endpoint.url,
      attempt: tries,
      ...(status === undefined ? {} : { status }),
    });
    if (status !== undefined && status >= 200 && status < 300) {
      event.pending_webhooks = Math.max(0, event.pending_webhooks - 1);
      return;
    }
    const delay = options.retryDelaysMs[tries - 1];
    if (delay === undefined || isStopped) return;
    const next: Waiting = { event, endpoint, attempt: tries + 1 };
    next.timer = setTimeout(() => {
      retries.delete(next);
      line = line.then(() => attempt(next));
    }, delay);
    next.timer.unref();
    retries.add(next);
  }

  async function post({ url, secret }: Endpoint, body: string): Promise<number | undefined> {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signWebhook(body, secret, account.now()),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    };
    try {
      return await (options.send ?? overNetwork)({ url, headers, body });
    } catch {
      return undefined;
    }
  }

  async function overNetwork({ url, headers, body }: SignedDelivery): Promise<number> {
    const signal = AbortSignal.timeout(options.timeoutMs);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.arrayBuffer();
    return answer.status;
  }

  async function drain(): Promise<void> {
    for (;;) {
      const before = line;
      await before;
      const due = [...retries];
      retries.clear();
      for (const waiting of due) {
        clearTimeout(waiting.timer);
        line = line.then(() => attempt(waiting));
      }
      if (due.length === 0 && line === before) return;
    }
  }

  function hold(type: string, limit = Number.POSITIVE_INFINITY, onFull = () => {}) {
    const kept: Stripe.Event[] = [];
    const rule: Rule = {
      type,
      left: limit,
      apply: (event) => {
        kept.push(event);
        if (rule.left === 0) onFull();
      },
    };
    rules.push(rule);
    const end = () => {
      rules = rules.filter((one) => one !== rule);
      return kept.splice(0);
    };
    return {
      get count() {
        return kept.length;
      },
      release: (order: 'in order' | 'reversed' = 'in order') => {
        const events = end();
        for (const event of order === 'reversed' ? events.toReversed() : events) enqueue(event);
      },
      drop: () => void end(),
    };
  }

  return {
    endpoints,
    deliveries,
    drop: (type, times = 1) => rules.push({ type, left: times, apply: () => {} }),
    delay: (type, ms, times = 1) =>
      rules.push({ type, left: times, apply: (event) => setTimeout(() => enqueue(event), ms).unref() }),
    duplicate: (type, copies = 2, times = 1) =>
      rules.push({
        type,
        left: times,
        apply: (event) => {
          const all = wanting(event).flatMap((endpoint) => Array<Endpoint>(copies).fill(endpoint));
          line = line.then(async () => {
            await Promise.all(all.map((endpoint) => attempt({ event, endpoint, attempt: 1 })));
          });
        },
      }),
    reorder: (type, count) => {
      const held = hold(type, count, () => held.release('reversed'));
    },
    hold: (type) => hold(type),
    resend: async (eventId) => {
      const event = account.events.get(eventId);
      if (!event) throw new Error(`no such event: ${eventId}`);
      await Promise.all(wanting(event).map((endpoint) => attempt({ event, endpoint, attempt: 1 })));
    },
    drain,
    clearFaults: () => {
      rules = [];
    },
    stop: () => {
      isStopped = true;
      for (const { timer } of retries) clearTimeout(timer);
      retries.clear();
    },
  };
}
