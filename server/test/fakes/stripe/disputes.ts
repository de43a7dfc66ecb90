import type Stripe from 'stripe';
import { type Account, type Call, held, newId, seconds } from './account.ts';
import { moveBalance } from './balance.ts';
import { changed, emit } from './events.ts';
import { refused } from './failure.ts';
import { accept, flag, metadata, names, nested, text } from './form.ts';
import { OF_PAYMENT, pageOfPayment } from './list.ts';

const feeCents = 1500;
const answerDays = 9;

export interface DisputeOpening {
  reason?: string;
  /** In cents; what is left of the charge unless given. */
  amount?: number | undefined;
  /** The bank only asks. No money leaves unless the inquiry is escalated. */
  isInquiry?: boolean;
}

/** The cardholder disputes a charge. The money leaves the balance at once, before a decision, unless it is an inquiry. */
export function openDispute(account: Account, charge: Stripe.Charge, opening: DisputeOpening = {}) {
  const id = newId('dp');
  const { isInquiry = false } = opening;
  const amount = opening.amount ?? charge.amount - charge.amount_refunded;
  const dispute: Stripe.Dispute = {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: seconds(account),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: seconds(account) + answerDays * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    network_reason_code: '10.4',
    payment_intent: charge.payment_intent,
    payment_method_details: {
      type: 'card',
      card: {
        brand: charge.payment_method_details?.card?.brand ?? 'visa',
        case_type: isInquiry ? 'inquiry' : 'chargeback',
        network: charge.payment_method_details?.card?.network ?? 'visa',
        network_reason_code: '10.4',
      },
    },
    reason: opening.reason ?? 'fraudulent',
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
  account.disputes.set(id, dispute);
  // Stripe does not document whether an inquiry marks the charge, so the service must not rely on it.
  charge.disputed = !isInquiry;
  emit(account, 'charge.dispute.created', dispute);
  if (!isInquiry) withdraw(account, dispute);
  return dispute;
}

function withdraw(account: Account, dispute: Stripe.Dispute): void {
  dispute.balance_transactions.push(
    moveBalance(account, {
      type: 'adjustment',
      reporting_category: 'dispute',
      amount: -dispute.amount,
      fee: feeCents,
      currency: dispute.currency,
      source: dispute.id,
      description: `Chargeback withdrawal for ${dispute.charge}`,
    }),
  );
  emit(account, 'charge.dispute.funds_withdrawn', dispute);
}

/** The bank turns an inquiry into a chargeback, which takes the money. */
export function escalateDispute(account: Account, id: string): Stripe.Dispute {
  const dispute = held(account, 'disputes', id);
  const before = structuredClone(dispute);
  dispute.status = 'needs_response';
  dispute.is_charge_refundable = false;
  held(account, 'charges', String(dispute.charge)).disputed = true;
  emit(account, 'charge.dispute.updated', dispute, changed(before, dispute));
  withdraw(account, dispute);
  return dispute;
}

/** The bank decides. A won dispute brings the amount back (the fee stays gone). An inquiry ends with `warning_closed`. */
export function closeDispute(
  account: Account,
  id: string,
  outcome: 'won' | 'lost' | 'warning_closed',
): Stripe.Dispute {
  const dispute = held(account, 'disputes', id);
  if (['won', 'lost', 'warning_closed'].includes(dispute.status)) {
    throw refused('dispute_closed', `This dispute is already ${dispute.status}.`);
  }
  const before = structuredClone(dispute);
  dispute.status = outcome;
  dispute.is_charge_refundable = outcome !== 'lost';
  if (outcome === 'won') {
    dispute.balance_transactions.push(
      moveBalance(account, {
        type: 'adjustment',
        reporting_category: 'dispute_reversal',
        amount: dispute.amount,
        currency: dispute.currency,
        source: id,
        description: `Chargeback reversal for ${dispute.charge}`,
      }),
    );
    emit(account, 'charge.dispute.funds_reinstated', dispute);
  }
  emit(account, 'charge.dispute.closed', dispute, changed(before, dispute));
  return dispute;
}

export function retrieveDispute({ account, ids: [id = ''], form }: Call): Stripe.Dispute {
  accept(form, names<Stripe.DisputeRetrieveParams>()());
  return held(account, 'disputes', id);
}

const LIST = names<Stripe.DisputeListParams>()(...OF_PAYMENT);

export function listDisputes({ account, form }: Call): Stripe.ApiList<Stripe.Dispute> {
  accept(form, LIST);
  return pageOfPayment('/v1/disputes', [...account.disputes.values()], form);
}

const UPDATE = names<Stripe.DisputeUpdateParams>()('evidence', 'metadata', 'submit');

/** Evidence; as in Stripe's test mode, `winning_evidence` and `losing_evidence` decide the dispute. */
export function updateDispute({ account, ids: [id = ''], form }: Call): Stripe.Dispute {
  accept(form, UPDATE);
  const dispute = held(account, 'disputes', id);
  const before = structuredClone(dispute);
  const evidence = text(nested(form, 'evidence') ?? {}, 'uncategorized_text');
  if (evidence !== undefined) {
    dispute.evidence.uncategorized_text = evidence;
    dispute.evidence_details.has_evidence = true;
  }
  dispute.metadata = metadata(form, dispute.metadata);
  if (flag(form, 'submit') ?? evidence !== undefined) {
    dispute.status = dispute.status.startsWith('warning_') ? 'warning_under_review' : 'under_review';
    dispute.evidence_details.submission_count += 1;
  }
  emit(account, 'charge.dispute.updated', dispute, changed(before, dispute));
  if (dispute.status === 'under_review') {
    if (evidence === 'winning_evidence') closeDispute(account, id, 'won');
    if (evidence === 'losing_evidence') closeDispute(account, id, 'lost');
  }
  return dispute;
}

/** Accepting a dispute loses it. */
export function acceptDispute({ account, ids: [id = ''], form }: Call): Stripe.Dispute {
  accept(form, names<Stripe.DisputeCloseParams>()());
  return closeDispute(account, id, 'lost');
}

function noEvidence(): Stripe.Dispute.Evidence {
  return {
    access_activity_log: null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    customer_email_address: null,
    customer_name: null,
    customer_purchase_ip: null,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: {},
    product_description: null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: null,
  };
}
