import { type ComponentType, lazy, type Ref } from 'react';
import { deployment } from '../api/deployment.ts';

/**
 * Whoever takes cards, in the browser: Stripe, or the test cards of a sandbox. Each is a script of its own, loaded when a
 * card is first asked for.
 */
export type Outcome =
  | { status: string; payment_intent_id: string }
  /**
   * why not, in a sentence for the reader; undefined where it stands among the fields already.
   * `isOver`: this payment can be tried no more, a new one must begin.
   */
  | { problem: string | undefined; isOver?: boolean };

export const NOT_READY = 'Payment system not ready. Please try again.';
export const CHECK_DETAILS = 'Please check your payment details';
export const FAILED = 'Payment failed';
export const NOT_PROCESSED = 'Payment processing failed';

export interface CardEntry {
  /** Pays with what was entered, the bank's question included. Never rejects. */
  pay: () => Promise<Outcome>;
}

interface Provider {
  /** The fields for a new card. */
  CardFields: ComponentType<{ clientSecret: string; ref: Ref<CardEntry> }>;
  /** Asks the bank's question about a saved card, once. */
  BankQuestion: ComponentType<{ clientSecret: string; onAnswered: (outcome: Outcome) => void }>;
}

const provider = async (): Promise<Provider> =>
  deployment().cards === 'stripe' ? import('./StripeCards.tsx') : import('./SandboxCards.tsx');

export const CardFields = lazy(async () => ({ default: (await provider()).CardFields }));
export const BankQuestion = lazy(async () => ({ default: (await provider()).BankQuestion }));
