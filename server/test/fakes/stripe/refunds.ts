import type Stripe from 'stripe';
import { type Account, type Call, held, newId, seconds } from './account.ts';
import { moveBalance } from './balance.ts';
import { changed, emit } from './events.ts';
import { invalidParameter, refused } from './failure.ts';
import { accept, choice, integer, metadata, names, text } from './form.ts';
import { OF_PAYMENT, pageOfPayment } from './list.ts';

const CREATE = names<Stripe.RefundCreateParams>()('amount', 'charge', 'metadata', 'payment_intent', 'reason');
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;

/** Gives back all that is left of a charge, or `amount` of it. */
export function createRefund({ account, form }: Call): Stripe.Refund {
  accept(form, CREATE);
  const charge = refundableCharge(account, text(form, 'charge'), text(form, 'payment_intent'));
  const left = charge.amount - charge.amount_refunded;
  const amount = integer(form, 'amount') ?? left;
  if (amount < 1) {
    throw invalidParameter('parameter_invalid_integer', 'amount', 'Invalid positive integer');
  }
  if (amount > left) {
    const message = `Refund amount ($${(amount / 100).toFixed(2)}) is greater than unrefunded amount on charge ($${(left / 100).toFixed(2)})`;
    throw refused('charge_invalid_parameter', message, { param: 'amount' });
  }
  const id = newId('re');
  const refund: Stripe.Refund = {
    id,
    object: 'refund',
    amount,
    balance_transaction: moveBalance(account, {
      type: 'refund',
      reporting_category: 'refund',
      amount: -amount,
      currency: charge.currency,
      source: id,
    }).id,
    charge: charge.id,
    created: seconds(account),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      type: 'card',
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
    },
    metadata: metadata(form),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: choice(form, 'reason', reasons) ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
  account.refunds.set(id, refund);
  emit(account, 'refund.created', refund);
  giveBack(account, charge, amount);
  if (account.cards.get(charge.payment_method ?? '')?.behaviour.refundFails) failRefund(account, id);
  return refund;
}

function giveBack(account: Account, charge: Stripe.Charge, amount: number): void {
  const before = structuredClone(charge);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded >= charge.amount;
  if (amount > 0) emit(account, 'charge.refunded', charge, changed(before, charge));
  else emit(account, 'charge.updated', charge, changed(before, charge));
}

function refundableCharge(account: Account, chargeId?: string, intentId?: string): Stripe.Charge {
  if ((chargeId === undefined) === (intentId === undefined)) {
    const message =
      'One of the following params should be provided for this request: payment_intent or charge.';
    throw invalidParameter('parameter_missing', 'payment_intent', message);
  }
  const charge =
    chargeId === undefined ? chargeOf(account, intentId ?? '') : held(account, 'charges', chargeId, 'charge');
  if (charge.refunded) {
    throw refused('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  }
  if (charge.status !== 'succeeded') {
    throw refused('charge_not_refundable', `Charge ${charge.id} cannot be refunded: it ${charge.status}.`);
  }
  const isContested = [...account.disputes.values()].some((one) => {
    return one.charge === charge.id && one.status !== 'won';
  });
  if (isContested) {
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw refused('charge_disputed', message);
  }
  return charge;
}

function chargeOf(account: Account, intentId: string): Stripe.Charge {
  const intent = held(account, 'paymentIntents', intentId, 'payment_intent');
  if (intent.status === 'succeeded' && typeof intent.latest_charge === 'string') {
    return held(account, 'charges', intent.latest_charge);
  }
  const message = `This PaymentIntent (${intentId}) does not have a successful charge to refund.`;
  throw refused('payment_intent_unexpected_state', message);
}

/** The bank sends a refund back after all: the charge counts as not refunded by that amount. */
export function failRefund(account: Account, id: string): Stripe.Refund {
  const refund = held(account, 'refunds', id);
  const before = structuredClone(refund);
  refund.status = 'failed';
  refund.failure_reason = 'lost_or_stolen_card';
  refund.failure_balance_transaction = moveBalance(account, {
    type: 'refund_failure',
    reporting_category: 'refund_failure',
    amount: refund.amount,
    currency: refund.currency,
    source: id,
  }).id;
  giveBack(account, held(account, 'charges', String(refund.charge)), -refund.amount);
  emit(account, 'refund.failed', refund, changed(before, refund));
  return refund;
}

export function retrieveRefund({ account, ids: [id = ''], form }: Call): Stripe.Refund {
  accept(form, names<Stripe.RefundRetrieveParams>()());
  return held(account, 'refunds', id);
}

const LIST = names<Stripe.RefundListParams>()(...OF_PAYMENT);

export function listRefunds({ account, form }: Call): Stripe.ApiList<Stripe.Refund> {
  accept(form, LIST);
  return pageOfPayment('/v1/refunds', [...account.refunds.values()], form);
}
