import { type ComponentType, lazy, type Ref } from 'react';
import { deployment } from '../api/deployment.ts';

/**
 * The card provider in the browser: Stripe, or a sandbox's test cards. Each is a separate chunk, loaded when the purchase needs a
 * card.
 */
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

interface Provider {
  /** The fields for a new card. */
  CardFields: ComponentType<{ clientSecret: string; ref: Ref<CardEntry> }>;
  /** Shows the bank's question about a saved card once. */
  BankQuestion: ComponentType<{ clientSecret: string; onAnswered: (outcome: Outcome) => void }>;
}

const provider = async (): Promise<Provider> =>
  deployment().cards === 'stripe' ? import('./StripeCards.tsx') : import('./SandboxCards.tsx');

export const CardFields = lazy(async () => ({ default: (await provider()).CardFields }));
export const BankQuestion = lazy(async () => ({ default: (await provider()).BankQuestion }));
