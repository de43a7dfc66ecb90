import { createHmac } from 'node:crypto';
import type { Account } from './account.ts';
import type { Event } from './objects.ts';

export interface Endpoint {
  url: string;
  secret: string;
}

export interface Webhooks {
  endpoints: Endpoint[];
  /** Never delivers the next `times` events of this type, not even on a retry. */
  drop(type: string, times: number): void;
  /** Delivers the next event of this type `copies` times concurrently. */
  duplicate(type: string, copies: number): void;
  /** Holds the next `count` events of this type, then delivers them in reverse order. */
  reorder(type: string, count: number): void;
  /** Holds every event of this type until it is released. */
  hold(type: string): { release(order?: 'in order' | 'reversed'): void };
  /** Resends an event, like Resend in Stripe's dashboard. */
  resend(eventId: string): Promise<void>;
  /** Attempts every due or waiting event until it is delivered or its retries end. */
  drain(): Promise<void>;
  clearFaults(): void;
}

/** `Stripe-Signature` of a body: https://docs.stripe.com/webhooks#verify-manually. */
export function signWebhook(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signature}`;
}

/** A fault for the next `left` events of a type. A `*` at the end matches a family of types. */
interface Rule {
  type: string;
  left: number;
  apply: (event: Event) => void;
}

interface Waiting {
  event: Event;
  endpoint: Endpoint;
  attempt: number;
  timer?: NodeJS.Timeout;
}

const matches = (pattern: string, type: string): boolean =>
  pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1)));

/**
 * Signs events and delivers them to the endpoints one after another. Unless the response is 2xx, it retries after each of the
 * delays.
 */
export function deliverWebhooks(account: Account, retryDelaysMs: number[]): Webhooks & { stop(): void } {
  const endpoints: Endpoint[] = [];
  const retries = new Set<Waiting>();
  let rules: Rule[] = [];
  let line: Promise<void> = Promise.resolve();
  let isStopped = false;

  account.onEvent = (event) => {
    const rule = rules.find((one) => one.left > 0 && matches(one.type, event.type));
    if (!rule) return enqueue(event);
    rule.left -= 1;
    rule.apply(event);
  };

  function enqueue(event: Event): void {
    for (const endpoint of endpoints) line = line.then(() => attempt({ event, endpoint, attempt: 1 }));
  }

  async function attempt({ event, endpoint, attempt: tries }: Waiting): Promise<void> {
    if (isStopped || (await isAccepted(endpoint, JSON.stringify(event, null, 2)))) return;
    const delay = retryDelaysMs[tries - 1];
    if (delay === undefined || isStopped) return;
    const next: Waiting = { event, endpoint, attempt: tries + 1 };
    next.timer = setTimeout(() => {
      retries.delete(next);
      line = line.then(() => attempt(next));
    }, delay);
    next.timer.unref();
    retries.add(next);
  }

  async function isAccepted({ url, secret }: Endpoint, body: string): Promise<boolean> {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signWebhook(body, secret, account.now()),
    };
    const signal = AbortSignal.timeout(10_000);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
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

  function hold(type: string, limit = Number.POSITIVE_INFINITY) {
    const kept: Event[] = [];
    const release = (order: 'in order' | 'reversed' = 'in order') => {
      rules = rules.filter((one) => one !== rule);
      for (const event of order === 'reversed' ? kept.reverse() : kept) enqueue(event);
    };
    const rule: Rule = {
      type,
      left: limit,
      apply: (event) => {
        kept.push(event);
        if (rule.left === 0) release('reversed');
      },
    };
    rules.push(rule);
    return { release };
  }

  const sendAtOnce = async (event: Event, copies: number) => {
    const all = endpoints.flatMap((endpoint) => Array<Endpoint>(copies).fill(endpoint));
    await Promise.all(all.map((endpoint) => attempt({ event, endpoint, attempt: 1 })));
  };

  return {
    endpoints,
    drop: (type, times) => rules.push({ type, left: times, apply: () => {} }),
    duplicate: (type, copies) =>
      rules.push({
        type,
        left: 1,
        apply: (event) => {
          line = line.then(() => sendAtOnce(event, copies));
        },
      }),
    reorder: (type, count) => void hold(type, count),
    hold: (type) => hold(type),
    async resend(eventId) {
      const event = account.events.get(eventId);
      if (!event) throw new Error(`no such event: ${eventId}`);
      await sendAtOnce(event, 1);
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
