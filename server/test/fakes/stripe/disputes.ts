import type Stripe from 'stripe';
import { type Account, type Call, held, heldIntent, moveBalance, newId, seconds } from './account.ts';
import { emit } from './events.ts';
import { accept, names, text } from './form.ts';
import { type Page, page } from './list.ts';
import type { Dispute } from './objects.ts';

const answerDays = 9;

export interface DisputeOpening {
  reason?: string;
  /** In cents; what is left of the charge unless given. */
  amount?: number;
  /** The bank only asks. No money leaves unless the inquiry is escalated. */
  isInquiry?: boolean;
}

/** The cardholder disputes a payment. The money leaves the balance at once, before a decision, unless it is an inquiry. */
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

/** The bank turns an inquiry into a chargeback, which takes the money. */
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

/** The bank decides. A won dispute brings the amount back. An inquiry ends with `warning_closed`. */
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

const LIST = names<Stripe.DisputeListParams>()('created', 'limit', 'payment_intent', 'starting_after');

export function listDisputes({ account, form }: Call): Page<Dispute> {
  accept(form, LIST);
  const intent = text(form, 'payment_intent');
  return page(account.disputes.values(), form, ({ payment_intent }) => {
    return intent === undefined || payment_intent === intent;
  });
}
