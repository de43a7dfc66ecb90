import type Stripe from 'stripe';
import type { PaymentIntent } from './objects.ts';

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
 * An error response. `isExecuted`: the endpoint had started its work, so the response is stored under the idempotency
 * key (https://docs.stripe.com/api/idempotent_requests).
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
