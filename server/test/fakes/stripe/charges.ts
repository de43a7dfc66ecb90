import type Stripe from 'stripe';
import { type Account, type Call, held, newId, seconds } from './account.ts';
import { moveBalance } from './balance.ts';
import type { Decline } from './cards.ts';
import { accept, names, text } from './form.ts';
import { page } from './list.ts';

/** Records the attempt to charge an intent's card: succeeded, or failed with the decline. */
export function newCharge(
  account: Account,
  intent: Stripe.PaymentIntent,
  paymentMethod: Stripe.PaymentMethod,
  decline?: Decline,
): Stripe.Charge {
  const id = newId('ch');
  const { amount, currency } = intent;
  const charge: Stripe.Charge = {
    id,
    object: 'charge',
    amount,
    amount_captured: decline ? 0 : amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: structuredClone(paymentMethod.billing_details),
    calculated_statement_descriptor: 'SIXDIGIT',
    captured: !decline,
    created: seconds(account),
    currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: structuredClone(intent.metadata),
    on_behalf_of: null,
    outcome: outcome(decline),
    paid: !decline,
    payment_intent: intent.id,
    payment_method: paymentMethod.id,
    payment_method_details: { type: 'card', card: cardDetails(paymentMethod, amount) },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: decline ? null : `${account.url}/receipts/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: decline ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
  account.charges.set(id, charge);
  if (!decline) {
    const fee = Math.round(amount * 0.029) + 30;
    const movement = { type: 'charge', reporting_category: 'charge', amount, fee, currency } as const;
    charge.balance_transaction = moveBalance(account, { ...movement, source: id }).id;
  }
  return charge;
}

function outcome(decline?: Decline): Stripe.Charge.Outcome {
  return {
    advice_code: decline ? 'try_again_later' : null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: decline ? 'declined_by_network' : 'approved_by_network',
    reason: decline?.decline_code ?? null,
    risk_level: 'normal',
    risk_score: 12,
    seller_message: decline ? 'The bank declined the payment.' : 'Payment complete.',
    type: decline ? 'issuer_declined' : 'authorized',
  };
}

function cardDetails(
  paymentMethod: Stripe.PaymentMethod,
  amount: number,
): Stripe.Charge.PaymentMethodDetails.Card {
  const { card } = paymentMethod;
  return {
    amount_authorized: amount,
    authorization_code: '123456',
    brand: card?.brand ?? null,
    checks: card?.checks ?? null,
    country: card?.country ?? null,
    electronic_commerce_indicator: null,
    exp_month: card?.exp_month ?? 0,
    exp_year: card?.exp_year ?? 0,
    fingerprint: card?.fingerprint ?? null,
    funding: card?.funding ?? null,
    installments: null,
    last4: card?.last4 ?? null,
    mandate: null,
    network: card?.brand ?? null,
    network_transaction_id: newId('nti').slice(4),
    regulated_status: 'unregulated',
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

export function retrieveCharge({ account, ids: [id = ''], form }: Call): Stripe.Charge {
  accept(form, names<Stripe.ChargeRetrieveParams>()());
  return held(account, 'charges', id);
}

const LIST = names<Stripe.ChargeListParams>()(
  'created',
  'customer',
  'ending_before',
  'limit',
  'payment_intent',
  'starting_after',
);

export function listCharges({ account, form }: Call): Stripe.ApiList<Stripe.Charge> {
  accept(form, LIST);
  const [customer, intent] = [text(form, 'customer'), text(form, 'payment_intent')];
  return page('/v1/charges', [...account.charges.values()], form, (one) => {
    return (
      (customer === undefined || one.customer === customer) &&
      (intent === undefined || one.payment_intent === intent)
    );
  });
}
