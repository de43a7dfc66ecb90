import type Stripe from 'stripe';

// Objects have the fields that the service or a test reads, with the types of the Stripe package.

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

/** The body of an error response, `{"error": …}`, as Stripe's API reference lists it. */
export interface ErrorBody {
  type: Stripe.RawErrorType;
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  payment_intent?: PaymentIntent;
}

/**
 * An error response. `isExecuted` means that the endpoint had started, so the response is stored under the idempotency key
 * (https://docs.stripe.com/api/idempotent_requests).
 */
export class StripeFailure extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly isExecuted: boolean;

  constructor(status: number, body: ErrorBody, isExecuted = true) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.isExecuted = isExecuted;
  }
}

/** A parameter that fails validation. The call did not execute, so its idempotency key stores no response. */
export const invalidParameter = (code: string, param: string, message: string): StripeFailure =>
  new StripeFailure(400, { type: 'invalid_request_error', code, param, message }, false);

/** A well-formed request that the state of an object forbids. */
export const refused = (code: string, message: string, more: Partial<ErrorBody> = {}): StripeFailure =>
  new StripeFailure(400, { type: 'invalid_request_error', code, message, ...more });

/** 404 for an id in the path, 400 for one in the parameter `param`. */
export const noSuch = (noun: string, id: string, param?: string): StripeFailure =>
  new StripeFailure(param === undefined ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: param ?? 'id',
    message: `No such ${noun}: '${id}'`,
  });

export const unauthorized = (message: string, code?: string): StripeFailure =>
  new StripeFailure(401, { type: 'invalid_request_error', message, ...(code && { code }) }, false);
