import type { Call } from './account.ts';
import { listBalanceTransactions, retrieveBalanceTransaction } from './balance.ts';
import { listCharges, retrieveCharge } from './charges.ts';
import { authenticate, confirmPaymentIntent } from './confirmation.ts';
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from './customers.ts';
import { acceptDispute, listDisputes, retrieveDispute, updateDispute } from './disputes.ts';
import { listEvents, retrieveEvent } from './events.ts';
import { choice, required } from './form.ts';
import {
  cancelPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
  updatePaymentIntent,
} from './payment-intents.ts';
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  listCustomerPaymentMethods,
  listPaymentMethods,
  retrieveCustomerPaymentMethod,
  retrievePaymentMethod,
  updatePaymentMethod,
} from './payment-methods.ts';
import { createRefund, listRefunds, retrieveRefund } from './refunds.ts';
import {
  authenticateSetup,
  confirmSetupIntent,
  createSetupIntent,
  retrieveSetupIntent,
} from './setup-intents.ts';

export interface Route {
  method: string;
  pattern: RegExp;
  handle: (call: Call) => object;
  /** May be called with the publishable key: for an intent, with its client secret. */
  isPublic: boolean;
}

const route = (method: string, path: string, handle: (call: Call) => object, isPublic = false): Route => ({
  method,
  pattern: new RegExp(`^/v1/${path.replaceAll('*', '([^/]+)')}$`),
  handle,
  isPublic,
});

const open = true;

export const routes: Route[] = [
  route('GET', 'customers', listCustomers),
  route('POST', 'customers', createCustomer),
  route('GET', 'customers/*', retrieveCustomer),
  route('POST', 'customers/*', updateCustomer),
  route('DELETE', 'customers/*', deleteCustomer),
  route('GET', 'customers/*/payment_methods', listCustomerPaymentMethods),
  route('GET', 'customers/*/payment_methods/*', retrieveCustomerPaymentMethod),
  route('GET', 'payment_methods', listPaymentMethods),
  route('POST', 'payment_methods', createPaymentMethod, open),
  route('GET', 'payment_methods/*', retrievePaymentMethod),
  route('POST', 'payment_methods/*', updatePaymentMethod),
  route('POST', 'payment_methods/*/attach', attachPaymentMethod),
  route('POST', 'payment_methods/*/detach', detachPaymentMethod),
  route('GET', 'payment_intents', listPaymentIntents),
  route('POST', 'payment_intents', createPaymentIntent),
  route('GET', 'payment_intents/*', retrievePaymentIntent, open),
  route('POST', 'payment_intents/*', updatePaymentIntent),
  route('POST', 'payment_intents/*/confirm', confirmPaymentIntent, open),
  route('POST', 'payment_intents/*/cancel', cancelPaymentIntent),
  route('POST', 'setup_intents', createSetupIntent),
  route('GET', 'setup_intents/*', retrieveSetupIntent, open),
  route('POST', 'setup_intents/*/confirm', confirmSetupIntent, open),
  route('POST', '3ds2/challenge_complete', completeChallenge, open),
  route('GET', 'charges', listCharges),
  route('GET', 'charges/*', retrieveCharge),
  route('GET', 'refunds', listRefunds),
  route('POST', 'refunds', createRefund),
  route('GET', 'refunds/*', retrieveRefund),
  route('GET', 'disputes', listDisputes),
  route('GET', 'disputes/*', retrieveDispute),
  route('POST', 'disputes/*', updateDispute),
  route('POST', 'disputes/*/close', acceptDispute),
  route('GET', 'balance_transactions', listBalanceTransactions),
  route('GET', 'balance_transactions/*', retrieveBalanceTransaction),
  route('GET', 'events', listEvents),
  route('GET', 'events/*', retrieveEvent),
];

/** The result that the bank's page reports: the customer completed or failed the challenge. */
function completeChallenge({ account, form }: Call): object {
  const intent = required(form, 'client_secret').split('_secret_')[0] ?? '';
  const outcome = choice(form, 'outcome', ['complete', 'fail']) ?? 'fail';
  return intent.startsWith('seti_')
    ? authenticateSetup(account, intent, outcome)
    : authenticate(account, intent, outcome);
}
