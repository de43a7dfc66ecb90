import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { type DeclineName, declineNamed } from './cards.ts';
import { StripeFailure } from './failure.ts';
import type { FakeStripe } from './fake-stripe.ts';
import type { Fault, PlacedFault } from './faults.ts';
import type { HeldWebhooks } from './webhooks.ts';

type Controlled = Omit<FakeStripe, 'controlUrl' | 'close' | typeof Symbol.asyncDispose>;

interface Order {
  type?: string;
  times?: number;
  ms?: number;
  copies?: number;
  count?: number;
  order?: 'in order' | 'reversed';
  name?: DeclineName;
  payment_method?: string;
  outcome?: 'complete' | 'fail';
  charge?: string;
  reason?: string;
  amount?: number;
  inquiry?: boolean;
  url?: string;
  secret?: string;
  events?: string[];
}

/**
 * The controls for another process. `POST` with JSON:
 * `/faults` (a Fault) `/faults/{n}/release` `/faults/clear` · `/webhooks/endpoints` {url, secret, events}
 * `/webhooks/drop|delay|duplicate|reorder|hold` {type, times, ms, copies, count} `/webhooks/release` {order}
 * `/webhooks/drain` `/webhooks/resend/{event}` · `/declines` {name, payment_method, times}
 * `/payment_intents/{id}/authenticate` {outcome} · `/refunds/{id}/fail` · `/disputes` {charge, reason, amount, inquiry}
 * `/disputes/{id}/win|lose|escalate|close-inquiry`. `GET /requests` and `GET /deliveries` tell what happened.
 */
export function serveControl(fake: Controlled): RequestListener {
  const placed: PlacedFault[] = [];
  const held: HeldWebhooks[] = [];

  async function obey(method: string, path: string, body: Order): Promise<unknown> {
    const [, subject = '', first = '', second = ''] = path.split('/');
    if (method === 'GET' && subject === 'requests') return fake.requests;
    if (method === 'GET' && subject === 'deliveries') return fake.webhooks.deliveries;
    if (subject === 'faults') return faults(first, body);
    if (subject === 'webhooks') return webhooks(first, second, body);
    if (subject === 'declines') {
      const name = body.name ?? 'generic_decline';
      declineNamed(name);
      const paymentMethod = body.payment_method;
      return fake.declineNext(name, {
        times: body.times ?? 1,
        ...(paymentMethod === undefined ? {} : { paymentMethod }),
      });
    }
    if (subject === 'payment_intents') return fake.authenticate(first, body.outcome ?? 'complete');
    if (subject === 'refunds') return fake.failRefund(first);
    if (subject === 'disputes' && first === '') return fake.disputes.open(body.charge ?? '', opening(body));
    if (subject === 'disputes') {
      if (second === 'win') return fake.disputes.win(first);
      if (second === 'escalate') return fake.disputes.escalate(first);
      if (second === 'close-inquiry') return fake.disputes.closeInquiry(first);
      return fake.disputes.lose(first);
    }
    throw new Error(`no such control: ${method} ${path}`);
  }

  function faults(which: string, body: Order): unknown {
    if (which === 'clear') return fake.faults.clear();
    if (which !== '') return placed[Number(which)]?.release();
    return { fault: placed.push(fake.faults.add(body as unknown as Fault)) - 1 };
  }

  async function webhooks(verb: string, event: string, body: Order): Promise<unknown> {
    const { type = '*', times = 1 } = body;
    if (verb === 'endpoints') {
      const { url = '', secret = fake.webhookSecret, events = ['*'] } = body;
      return { endpoints: fake.webhooks.endpoints.push({ url, secret, events }) };
    }
    if (verb === 'drop') return fake.webhooks.drop(type, times);
    if (verb === 'delay') return fake.webhooks.delay(type, body.ms ?? 1000, times);
    if (verb === 'duplicate') return fake.webhooks.duplicate(type, body.copies ?? 2, times);
    if (verb === 'reorder') return fake.webhooks.reorder(type, body.count ?? 2);
    if (verb === 'hold') return { held: held.push(fake.webhooks.hold(type)) };
    if (verb === 'release') {
      for (const one of held.splice(0)) one.release(body.order);
      return undefined;
    }
    if (verb === 'drain') return fake.webhooks.drain();
    if (verb === 'resend') return fake.webhooks.resend(event);
    throw new Error(`no such control: webhooks ${verb}`);
  }

  return (request, response) => {
    const method = request.method ?? 'GET';
    const read = method === 'POST' ? json(request).catch(() => ({})) : Promise.resolve({});
    void read
      .then((body) => obey(method, request.url ?? '/', body as Order))
      .then(
        (answer) => [200, answer ?? {}] as const,
        (error: unknown) =>
          [400, error instanceof StripeFailure ? error.body : { message: String(error) }] as const,
      )
      .then(([status, answer]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
  };
}

const opening = ({ reason, amount, inquiry = false }: Order) => ({
  ...(reason === undefined ? {} : { reason }),
  amount,
  isInquiry: inquiry,
});
