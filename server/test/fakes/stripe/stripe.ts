import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type Account, type DeclineName, declines, newAccount } from './account.ts';
import { apiFaults, type Faults } from './faults.ts';
import { type Api, idempotencyKeys, type ServedRequest, serveApi } from './http.ts';
import type { Dispute, ErrorBody, PaymentIntent } from './objects.ts';
import {
  answerDispute,
  closeDispute,
  type DisputeOpening,
  escalateDispute,
  failRefund,
  openDispute,
} from './reversals.ts';
import { deliverWebhooks, type Webhooks } from './webhooks.ts';

/** A Stripe account on this machine that implements the wire protocol of the calls that the service makes. */
export interface FakeStripe extends AsyncDisposable {
  /** The URL of the API (`STRIPE_API_URL`). */
  url: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  account: Account;
  /** Every API request served so far. */
  requests: ServedRequest[];
  faults: Faults;
  webhooks: Webhooks;
  /** Actions of a customer's browser. */
  browser: Browser;
  /** Declines the next charges of this payment method, or of any. */
  declineNext(name: DeclineName, options?: { paymentMethod?: string; times?: number }): void;
  failRefund(refund: string): void;
  disputes: {
    /** Disputes the charge of this payment intent. */
    open(paymentIntent: string, opening?: DisputeOpening): Dispute;
    /** Submits evidence. */
    answer(dispute: string): void;
    win(dispute: string): void;
    lose(dispute: string): void;
    /** Turns an inquiry into a chargeback. */
    escalate(dispute: string): void;
    closeInquiry(dispute: string): void;
  };
  close(): Promise<void>;
}

interface FakeStripeOptions {
  port?: number;
  secretKey?: string;
  publishableKey?: string;
  now?: () => Date;
  /** Pauses before each retry of a webhook; `webhooks.drain()` does not wait for them. */
  retryDelaysMs?: number[];
}

export async function startFakeStripe({
  port = 0,
  secretKey = 'sk_test_fake',
  publishableKey = 'pk_test_fake',
  now = () => new Date(),
  retryDelaysMs = [1000, 5000, 30_000, 120_000, 600_000],
}: FakeStripeOptions = {}): Promise<FakeStripe> {
  const account = newAccount(now);
  const webhooks = deliverWebhooks(account, retryDelaysMs);
  const api: Api = {
    account,
    keys: { secret: secretKey, publishable: publishableKey },
    idempotency: idempotencyKeys(now),
    faults: apiFaults(),
    requests: [],
  };
  const server = createServer((request, response) => {
    serveApi(api, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', ready);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    webhooks.stop();
    api.faults.clear();
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  };
  return {
    url,
    secretKey,
    publishableKey,
    webhookSecret: 'whsec_fake',
    account,
    requests: api.requests,
    faults: api.faults,
    webhooks,
    browser: browserOf(url, publishableKey),
    declineNext: (name, { paymentMethod, times = 1 } = {}) => {
      account.orderedDeclines.push({ decline: declines[name], paymentMethod, times });
    },
    failRefund: (refund) => failRefund(account, refund),
    disputes: {
      open: (intent, opening) => openDispute(account, intent, opening),
      answer: (dispute) => answerDispute(account, dispute),
      win: (dispute) => closeDispute(account, dispute, 'won'),
      lose: (dispute) => closeDispute(account, dispute, 'lost'),
      escalate: (dispute) => escalateDispute(account, dispute),
      closeInquiry: (dispute) => closeDispute(account, dispute, 'warning_closed'),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The result of Stripe.js: an intent or an error. */
export interface Confirmation {
  paymentIntent?: PaymentIntent;
  error?: ErrorBody;
}

export interface Browser {
  /** Confirms an intent with a newly entered card, or with a saved payment method (`pm_…`). */
  confirmPayment(clientSecret: string, card: string): Promise<Confirmation>;
  /** Completes or fails the bank's authentication of a confirmation. */
  authenticate(clientSecret: string, outcome: 'complete' | 'fail'): Promise<Confirmation>;
}

/** The calls that Stripe.js makes from a customer's browser, with the publishable key. */
export function browserOf(url: string, publishableKey: string): Browser {
  async function post(path: string, form: Record<string, string>): Promise<Confirmation> {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ key: publishableKey, ...form }),
    });
    const answer = (await response.json()) as PaymentIntent & Confirmation;
    return answer.error ? { error: answer.error } : { paymentIntent: answer };
  }
  return {
    confirmPayment(clientSecret, card) {
      const chosen: Record<string, string> = card.startsWith('pm_')
        ? { payment_method: card }
        : {
            'payment_method_data[type]': 'card',
            'payment_method_data[card][number]': card,
            'payment_method_data[card][exp_month]': '12',
            'payment_method_data[card][exp_year]': '40',
            'payment_method_data[card][cvc]': '123',
          };
      const id = clientSecret.split('_secret_')[0];
      return post(`payment_intents/${id}/confirm`, { client_secret: clientSecret, ...chosen });
    },
    authenticate: (clientSecret, outcome) =>
      post('3ds2/challenge_complete', { client_secret: clientSecret, outcome }),
  };
}

// node server/test/fakes/stripe/stripe.ts --port 12111 --webhook-url http://127.0.0.1:8000/api/v1/payments/stripe-webhook/
if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '12111' }, 'webhook-url': { type: 'string' } },
  });
  const fake = await startFakeStripe({ port: Number(values.port) });
  const url = values['webhook-url'];
  if (url !== undefined) fake.webhooks.endpoints.push({ url, secret: fake.webhookSecret });
  const lines = {
    STRIPE_API_URL: fake.url,
    STRIPE_SECRET_KEY: fake.secretKey,
    STRIPE_PUBLISHABLE_KEY: fake.publishableKey,
    STRIPE_WEBHOOK_SECRET: fake.webhookSecret,
  };
  for (const [name, value] of Object.entries(lines)) console.log(`${name}=${value}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
}
