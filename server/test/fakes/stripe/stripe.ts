import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, newAccount } from './account.ts';
import { type Browser, browserOf } from './browser.ts';
import { type DeclineName, declines } from './cards.ts';
import {
  answerDispute,
  closeDispute,
  type DisputeOpening,
  escalateDispute,
  openDispute,
} from './disputes.ts';
import { apiFaults, type Faults } from './faults.ts';
import { type Api, type ServedRequest, serveApi } from './http.ts';
import { idempotencyKeys } from './idempotency.ts';
import type { Dispute } from './objects.ts';
import { failRefund } from './refunds.ts';
import { deliverWebhooks, type Webhooks } from './webhooks.ts';

/** A Stripe account on this machine that speaks the wire protocol for the calls that the product makes. */
export interface FakeStripe extends AsyncDisposable {
  /** Where the API is (`STRIPE_API_URL`). */
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
    /** Contests the charge of this payment intent. */
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
