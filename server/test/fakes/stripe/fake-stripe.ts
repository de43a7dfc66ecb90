import type Stripe from 'stripe';
import type { Account } from './account.ts';
import type { Browser } from './browser.ts';
import type { DeclineName } from './cards.ts';
import type { DisputeOpening } from './disputes.ts';
import type { Faults } from './faults.ts';
import type { ServedRequest } from './http.ts';
import type { Webhooks } from './webhooks.ts';

/** A Stripe account on this machine that speaks the wire protocol of API version 2026-10-28.endive. */
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
  /** Completes the bank's authentication. Throws if the bank then declines the card. */
  authenticate(paymentIntent: string, outcome: 'complete' | 'fail'): Stripe.PaymentIntent;
  failRefund(refund: string): Stripe.Refund;
  disputes: {
    /** Contests the charge with this id or of this payment intent. */
    open(charge: string, opening?: DisputeOpening): Stripe.Dispute;
    win(dispute: string): Stripe.Dispute;
    lose(dispute: string): Stripe.Dispute;
    /** Turns an inquiry into a chargeback. */
    escalate(dispute: string): Stripe.Dispute;
    closeInquiry(dispute: string): Stripe.Dispute;
  };
  close(): Promise<void>;
}
