import type Stripe from 'stripe';
import { type Account, type Call, emit, held, heldIntent, moveBalance, newId, seconds } from './account.ts';
import { accept, integer, metadata, names, type Page, page, required, text } from './form.ts';
import { type Charge, type Dispute, invalidParameter, type Refund, refused } from './objects.ts';

const CREATE_REFUND = names<Stripe.RefundCreateParams>()('amount', 'metadata', 'payment_intent');

/** Refunds `amount` of a payment, or the remainder. */
export function createRefund({ account, form }: Call): Refund {
  accept(form, CREATE_REFUND);
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

/** The bank returns a refund: the charge counts as not refunded by that amount. */
export function failRefund(account: Account, id: string): Refund {
  const refund = held(account.refunds, 'refund', id);
  refund.status = 'failed';
  const charge = held(account.charges, 'charge', refund.charge);
  giveBack(account, charge, -refund.amount);
  emit(account, 'charge.updated', charge);
  emit(account, 'refund.failed', refund);
  return refund;
}

const LIST_REFUNDS = names<Stripe.RefundListParams>()('limit', 'payment_intent');

export function listRefunds({ account, form }: Call): Page<Refund> {
  accept(form, LIST_REFUNDS);
  const intent = text(form, 'payment_intent');
  return page(account.refunds.values(), form, ({ payment_intent }) => payment_intent === intent);
}

const answerDays = 9;

export interface DisputeOpening {
  reason?: string;
  /** In cents. The default is the remainder of the charge. */
  amount?: number;
  /** Makes it an inquiry, which moves no money unless the bank escalates it. */
  isInquiry?: boolean;
}

/** The cardholder disputes a payment. Except for an inquiry, the amount leaves the balance immediately, before a decision. */
export function openDispute(
  account: Account,
  intent: string,
  { reason = 'fraudulent', amount, isInquiry = false }: DisputeOpening = {},
): Dispute {
  const charge = held(account.charges, 'charge', heldIntent(account, intent).latest_charge ?? '');
  const dispute: Dispute = {
    id: newId('dp'),
    object: 'dispute',
    amount: amount ?? charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created: seconds(account),
    currency: charge.currency,
    evidence_details: { due_by: seconds(account) + answerDays * 86_400, has_evidence: false },
    payment_intent: intent,
    reason,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
  account.disputes.set(dispute.id, dispute);
  // Stripe does not document whether an inquiry marks the charge, so the service must not rely on it.
  charge.disputed = !isInquiry;
  emit(account, 'charge.dispute.created', dispute);
  if (!isInquiry) withdraw(account, dispute);
  return dispute;
}

function withdraw(account: Account, dispute: Dispute): void {
  dispute.balance_transactions.push(moveBalance(account, -dispute.amount));
  emit(account, 'charge.dispute.funds_withdrawn', dispute);
}

const heldDispute = ({ disputes }: Account, id: string) => held(disputes, 'dispute', id);

/** The bank turns an inquiry into a chargeback, which deducts the amount. */
export function escalateDispute(account: Account, id: string): void {
  const dispute = heldDispute(account, id);
  dispute.status = 'needs_response';
  held(account.charges, 'charge', dispute.charge).disputed = true;
  emit(account, 'charge.dispute.updated', dispute);
  withdraw(account, dispute);
}

/** The account's owner submits evidence in the dashboard. */
export function answerDispute(account: Account, id: string): void {
  const dispute = heldDispute(account, id);
  dispute.evidence_details.has_evidence = true;
  dispute.status = 'under_review';
  emit(account, 'charge.dispute.updated', dispute);
}

/** The bank decides. A won dispute restores the amount. An inquiry ends with `warning_closed`. */
export function closeDispute(account: Account, id: string, outcome: 'won' | 'lost' | 'warning_closed'): void {
  const dispute = heldDispute(account, id);
  if (['won', 'lost', 'warning_closed'].includes(dispute.status)) {
    throw new Error(`This dispute is already ${dispute.status}.`);
  }
  dispute.status = outcome;
  if (outcome === 'won') {
    dispute.balance_transactions.push(moveBalance(account, dispute.amount));
    emit(account, 'charge.dispute.funds_reinstated', dispute);
  }
  emit(account, 'charge.dispute.closed', dispute);
}

const LIST_DISPUTES = names<Stripe.DisputeListParams>()(
  'created',
  'limit',
  'payment_intent',
  'starting_after',
);

export function listDisputes({ account, form }: Call): Page<Dispute> {
  accept(form, LIST_DISPUTES);
  const intent = text(form, 'payment_intent');
  return page(account.disputes.values(), form, ({ payment_intent }) => {
    return intent === undefined || payment_intent === intent;
  });
}
