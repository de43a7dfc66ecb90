import type Stripe from 'stripe';

/** The body of an error response, `{"error": …}`, as Stripe's API reference lists it. */
export interface ErrorBody {
  type: Stripe.RawErrorType;
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  doc_url?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
  setup_intent?: Stripe.SetupIntent;
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

const docs = (code: string) => `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;

/** A parameter that fails validation. The call did not execute, so its idempotency key stores no response. */
export function invalidParameter(code: string, param: string, message: string): StripeFailure {
  return new StripeFailure(
    400,
    { type: 'invalid_request_error', code, param, message, doc_url: docs(code) },
    false,
  );
}

export function missingParameter(param: string): StripeFailure {
  return invalidParameter('parameter_missing', param, `Missing required param: ${param}.`);
}

/** A well-formed request that the state of an object forbids. */
export function refused(code: string, message: string, more: Partial<ErrorBody> = {}): StripeFailure {
  return new StripeFailure(400, {
    type: 'invalid_request_error',
    code,
    message,
    doc_url: docs(code),
    ...more,
  });
}

export function noSuch(noun: string, id: string, param = 'id', status = 404): StripeFailure {
  return new StripeFailure(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${noun}: '${id}'`,
    doc_url: docs('resource_missing'),
  });
}

export function unauthorized(message: string, code?: string): StripeFailure {
  return new StripeFailure(
    401,
    { type: 'invalid_request_error', message, ...(code === undefined ? {} : { code }) },
    false,
  );
}

export function cardFailure(body: Omit<ErrorBody, 'type'>): StripeFailure {
  return new StripeFailure(402, { type: 'card_error', ...body });
}
