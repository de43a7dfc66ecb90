import type Stripe from 'stripe';

// Objects have the fields that the product or a test reads, under the package's own types.

export interface PaymentIntent
  extends Pick<
    Stripe.PaymentIntent,
    | 'id'
    | 'object'
    | 'amount'
    | 'amount_received'
    | 'client_secret'
    | 'created'
    | 'currency'
    | 'metadata'
    | 'next_action'
    | 'setup_future_usage'
    | 'status'
  > {
  automatic_payment_methods: Stripe.PaymentIntent.AutomaticPaymentMethods | null;
  customer: string | null;
  last_payment_error: Pick<Stripe.PaymentIntent.LastPaymentError, 'type' | 'code' | 'message'> | null;
  latest_charge: string | null;
  payment_method: string | null;
}

export interface Charge
  extends Pick<
    Stripe.Charge,
    'id' | 'object' | 'amount' | 'amount_refunded' | 'currency' | 'disputed' | 'paid' | 'refunded' | 'status'
  > {
  payment_intent: string;
  payment_method_details: { card: Pick<Stripe.Charge.PaymentMethodDetails.Card, 'brand' | 'last4'> };
}

export interface PaymentMethod extends Pick<Stripe.PaymentMethod, 'id' | 'object' | 'created' | 'type'> {
  customer: string | null;
  card: Pick<Stripe.PaymentMethod.Card, 'brand' | 'last4' | 'exp_month' | 'exp_year'>;
}

export interface Refund
  extends Pick<Stripe.Refund, 'id' | 'object' | 'amount' | 'created' | 'metadata' | 'status'> {
  charge: string;
  payment_intent: string;
}

export interface Dispute
  extends Pick<Stripe.Dispute, 'id' | 'object' | 'amount' | 'created' | 'currency' | 'reason' | 'status'> {
  balance_transactions: Movement[];
  charge: string;
  evidence_details: Pick<Stripe.Dispute.EvidenceDetails, 'due_by' | 'has_evidence'>;
  payment_intent: string;
}

export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'email' | 'metadata'> & { deleted?: false };
/** A movement on the account's Stripe balance, in cents without fees. */
export type Movement = Pick<Stripe.BalanceTransaction, 'amount'>;

/** An event with a snapshot of its object. */
export interface Event extends Pick<Stripe.EventBase, 'id' | 'object' | 'created'> {
  type: Stripe.Event['type'];
  data: { object: { id: string } };
}
