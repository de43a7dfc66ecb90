import { DISPUTE_STATUSES } from '@sixdigit/contract/operator/disputes.ts';
import type Stripe from 'stripe';
import type { Dispute, Reversal } from './card-provider.ts';

/** A refund counts from its creation. If it fails or is canceled, the money returns to this service's account. */
export const refundOf = ({ id, amount, status }: Stripe.Refund): Reversal => ({
  id,
  kind: 'refund',
  cents: amount,
  state: status === 'failed' || status === 'canceled' ? 'returned' : 'taken',
});

/** The money leaves when a dispute opens, before the decision, and returns when the dispute is won. Inquiries move no money. */
export function withdrawalOf({ id, amount, status, balance_transactions }: Stripe.Dispute): Reversal[] {
  const isWithdrawn = status === 'lost' || balance_transactions.some((moved) => moved.amount < 0);
  const isReturned = balance_transactions.some((moved) => moved.amount > 0);
  if (!isWithdrawn) return [];
  return [{ id, kind: 'dispute', cents: amount, state: isReturned ? 'returned' : 'taken' }];
}

export const disputeOf = (dispute: Stripe.Dispute): Dispute => ({
  id: dispute.id,
  cents: dispute.amount,
  currency: dispute.currency,
  reason: dispute.reason,
  // An unknown status counts as needing a response, so that an operator looks at it.
  status: DISPUTE_STATUSES.find((known) => known === dispute.status) ?? 'needs_response',
  evidence_due_at: timeOf(dispute.evidence_details.due_by),
  has_evidence: dispute.evidence_details.has_evidence,
  opened_at: timeOf(dispute.created) ?? '',
});

const timeOf = (seconds: number | null): string | null =>
  seconds ? new Date(seconds * 1_000).toISOString() : null;
