/** The result of a payment with a card, as every card provider reports it. */
export type Outcome =
  | { status: string; payment_intent_id: string }
  /**
   * The reason in a sentence, or undefined if a field shows it already.
   * `isOver`: this payment cannot be retried; a new one must start.
   */
  | { problem: string | undefined; isOver?: boolean };

export const NOT_READY = 'Payment system not ready. Please try again.';
export const CHECK_DETAILS = 'Please check your payment details';
export const FAILED = 'Payment failed';
export const NOT_PROCESSED = 'Payment processing failed';

export interface CardEntry {
  /** Pays with the entered card, including the bank's question. Never rejects. */
  pay: () => Promise<Outcome>;
}
