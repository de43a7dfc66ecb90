import { type ComponentType, lazy, type Ref } from 'react';
import { deployment } from '../api/deployment.ts';

import type { CardEntry, Outcome } from './card-payment.ts';

/**
 * The card provider in the browser: Stripe, or a sandbox's test cards. Each is a separate chunk, loaded when the purchase needs a
 * card.
 */
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
