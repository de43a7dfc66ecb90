import type Stripe from 'stripe';
import { type Account, type Call, held, heldIntent, moveBalance, newId, seconds } from './account.ts';
import { emit } from './events.ts';
import { invalidParameter, refused } from './failure.ts';
import { accept, integer, metadata, names, required, text } from './form.ts';
import { type Page, page } from './list.ts';
import type { Charge, Refund } from './objects.ts';

const CREATE = names<Stripe.RefundCreateParams>()('amount', 'metadata', 'payment_intent');

/** Gives back all that is left of a payment, or `amount` of it. */
export function createRefund({ account, form }: Call): Refund {
  accept(form, CREATE);
  const charge = refundableCharge(account, required(form, 'payment_intent'));
  const left = charge.amount - charge.amount_refunded;
  const amount = integer(form, 'amount') ?? left;
  if (amount < 1) {
    throw invalidParameter('parameter_invalid_integer', 'amount', 'Invalid positive integer');
  }
  if (amount > left) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`;
    throw refused('charge_invalid_parameter', message, { param: 'amount' });
  }
  const refund: Refund = {
    id: newId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: seconds(account),
    metadata: metadata(form),
    payment_intent: charge.payment_intent,
    status: 'succeeded',
  };
  account.refunds.set(refund.id, refund);
  emit(account, 'refund.created', refund);
  giveBack(account, charge, amount);
  emit(account, 'charge.refunded', charge);
  return refund;
}

function giveBack(account: Account, charge: Charge, amount: number): void {
  moveBalance(account, -amount);
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded >= charge.amount;
}

function refundableCharge(account: Account, intentId: string): Charge {
  const { status, latest_charge } = heldIntent(account, intentId, 'payment_intent');
  if (status !== 'succeeded' || latest_charge === null) {
    const message = `This PaymentIntent (${intentId}) does not have a successful charge to refund.`;
    throw refused('payment_intent_unexpected_state', message);
  }
  const charge = held(account.charges, 'charge', latest_charge);
  if (charge.refunded) {
    throw refused('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  }
  const isContested = [...account.disputes.values()].some((one) => {
    return one.charge === charge.id && one.status !== 'won';
  });
  if (!isContested) return charge;
  throw refused('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
}

/** The bank sends a refund back after all: the charge counts as not refunded by that amount. */
export function failRefund(account: Account, id: string): Refund {
  const refund = held(account.refunds, 'refund', id);
  refund.status = 'failed';
  const charge = held(account.charges, 'charge', refund.charge);
  giveBack(account, charge, -refund.amount);
  emit(account, 'charge.updated', charge);
  emit(account, 'refund.failed', refund);
  return refund;
}

const LIST = names<Stripe.RefundListParams>()('limit', 'payment_intent');

export function listRefunds({ account, form }: Call): Page<Refund> {
  accept(form, LIST);
  const intent = text(form, 'payment_intent');
  return page(account.refunds.values(), form, ({ payment_intent }) => payment_intent === intent);
}
