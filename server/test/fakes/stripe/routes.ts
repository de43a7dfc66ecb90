import type { Call } from './account.ts';
import { completeChallenge, confirmPaymentIntent } from './confirmation.ts';
import { createCustomer, deleteCustomer } from './customers.ts';
import { listDisputes } from './disputes.ts';
import {
  cancelPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from './payment-intents.ts';
import { detachPaymentMethod, listPaymentMethods, retrievePaymentMethod } from './payment-methods.ts';
import { createRefund, listRefunds } from './refunds.ts';

export interface Route {
  method: string;
  pattern: RegExp;
  handle: (call: Call) => object;
  /** May be called with the publishable key, for an intent with its client secret. */
  isPublic: boolean;
}

const route = (method: string, path: string, handle: (call: Call) => object, isPublic = false): Route => ({
  method,
  pattern: new RegExp(`^/v1/${path.replaceAll('*', '([^/]+)')}$`),
  handle,
  isPublic,
});

/** The calls that the product, or Stripe.js in its screens, makes. */
export const routes: Route[] = [
  route('POST', 'customers', createCustomer),
  route('DELETE', 'customers/*', deleteCustomer),
  route('GET', 'customers/*/payment_methods', listPaymentMethods),
  route('GET', 'customers/*/payment_methods/*', retrievePaymentMethod),
  route('POST', 'payment_methods/*/detach', detachPaymentMethod),
  route('GET', 'payment_intents', listPaymentIntents),
  route('POST', 'payment_intents', createPaymentIntent),
  route('GET', 'payment_intents/*', retrievePaymentIntent, true),
  route('POST', 'payment_intents/*/confirm', confirmPaymentIntent, true),
  route('POST', 'payment_intents/*/cancel', cancelPaymentIntent),
  route('POST', '3ds2/challenge_complete', completeChallenge, true),
  route('GET', 'refunds', listRefunds),
  route('POST', 'refunds', createRefund),
  route('GET', 'disputes', listDisputes),
];
