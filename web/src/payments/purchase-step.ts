import type { Offer } from './attempt-keys.ts';
import type { Outcome } from './card-payment.ts';

/** A payment intent that waits for a card. */
export interface Payment {
  clientSecret: string;
  saves: boolean;
}

export type Step = 'select' | 'choose' | 'pay';

/** The step in the URL, or the first one if its data is missing, such as after a reload. */
export function stepOf(opened: string | undefined, offer?: Offer, payment?: Payment): Step {
  if (opened === 'pay' && offer && payment) return 'pay';
  return opened === 'choose' && offer ? 'choose' : 'select';
}

/** Whether a new payment must start because this one cannot be retried. */
export const endsPayment = (outcome: Outcome): boolean =>
  'problem' in outcome ? (outcome.isOver ?? false) : outcome.status === 'canceled';
