import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { held, newAccount } from './account.ts';
import { browserOf } from './browser.ts';
import { declines } from './cards.ts';
import { authenticate } from './confirmation.ts';
import { closeDispute, escalateDispute, openDispute } from './disputes.ts';
import type { FakeStripe } from './fake-stripe.ts';
import { apiFaults } from './faults.ts';
import { type Api, serveApi } from './http.ts';
import { idempotencyKeys } from './idempotency.ts';
import { failRefund } from './refunds.ts';
import { deliverWebhooks, type Endpoint, type SignedDelivery } from './webhooks.ts';

export type { FakeStripe } from './fake-stripe.ts';

export interface FakeStripeOptions {
  port?: number;
  secretKey?: string;
  publishableKey?: string;
  webhookSecret?: string;
  /** The endpoints that get events; more can be added to `webhooks.endpoints`. */
  webhookUrl?: string;
  events?: string[];
  now?: () => Date;
  /** Pauses before each retry of a webhook; `webhooks.drain()` does not wait for them. */
  retryDelaysMs?: number[];
  webhookTimeoutMs?: number;
  /** Delivers events to the app without the network. Returns the status code. */
  sendWebhook?: (delivery: SignedDelivery) => Promise<number>;
}

export async function startFakeStripe(options: FakeStripeOptions = {}): Promise<FakeStripe> {
  const now = options.now ?? (() => new Date());
  const secretKey = options.secretKey ?? 'sk_test_fake';
  const publishableKey = options.publishableKey ?? 'pk_test_fake';
  const webhookSecret = options.webhookSecret ?? 'whsec_fake';
  const account = newAccount(now);
  const webhooks = deliverWebhooks(account, {
    retryDelaysMs: options.retryDelaysMs ?? [1000, 5000, 30_000, 120_000, 600_000],
    timeoutMs: options.webhookTimeoutMs ?? 10_000,
    send: options.sendWebhook,
  });
  if (options.webhookUrl !== undefined) {
    const endpoint: Endpoint = { url: options.webhookUrl, secret: webhookSecret };
    webhooks.endpoints.push(options.events ? { ...endpoint, events: options.events } : endpoint);
  }
  const api: Api = {
    account,
    keys: { secret: secretKey, publishable: publishableKey },
    idempotency: idempotencyKeys(now),
    faults: apiFaults(),
    requests: [],
  };
  const server = await listen(publicListener(api), options.port);
  account.url = urlOf(server);
  const chargeOf = (id: string) => {
    const charge = id.startsWith('pi_') ? held(account, 'paymentIntents', id).latest_charge : id;
    return held(account, 'charges', String(charge));
  };
  const fake: Omit<FakeStripe, 'close' | typeof Symbol.asyncDispose> = {
    url: account.url,
    secretKey,
    publishableKey,
    webhookSecret,
    account,
    requests: api.requests,
    faults: api.faults,
    webhooks,
    browser: browserOf(account.url, publishableKey),
    declineNext: (name, { paymentMethod, times = 1 } = {}) => {
      account.orderedDeclines.push({ decline: declines[name], paymentMethod, times });
    },
    authenticate: (intent, outcome) => authenticate(account, intent, outcome),
    failRefund: (refund) => failRefund(account, refund),
    disputes: {
      open: (charge, opening) => openDispute(account, chargeOf(charge), opening),
      win: (dispute) => closeDispute(account, dispute, 'won'),
      lose: (dispute) => closeDispute(account, dispute, 'lost'),
      escalate: (dispute) => escalateDispute(account, dispute),
      closeInquiry: (dispute) => closeDispute(account, dispute, 'warning_closed'),
    },
  };
  const close = async () => {
    webhooks.stop();
    api.faults.clear();
    await stop(server);
  };
  return { ...fake, close, [Symbol.asyncDispose]: close };
}

function publicListener(api: Api): RequestListener {
  return (request, response) => {
    serveApi(api, request, response).catch((error: unknown) => response.destroy(error as Error));
  };
}

async function listen(listener: RequestListener, port = 0): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', ready);
  });
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function stop(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}
