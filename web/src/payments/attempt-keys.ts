import { useRef } from 'react';
import type { PriceQuote } from '#contract/payments.ts';

/** What is bought, at the price that the buyer has seen. */
export type Offer = Pick<PriceQuote, 'credits' | 'price_usd_cents' | 'price_display'>;

/** A card's id, or a new card that is to be kept or not. */
type Means = string;
export const newCard = (saves: boolean): Means => (saves ? 'new card, saved' : 'new card');

/**
 * One idempotency key an attempt, that is an offer and a means to pay for it: whatever is repeated, also after "back" or
 * a lost answer, is charged once.
 */
export function useAttemptKeys() {
  const keys = useRef(new Map<string, string>());
  const nameOf = ({ credits, price_usd_cents }: Offer, means: Means): string =>
    `${credits} ${price_usd_cents} ${means}`;
  return {
    keyOf(offer: Offer, means: Means): string {
      const name = nameOf(offer, means);
      const key = keys.current.get(name) ?? newKey();
      keys.current.set(name, key);
      return key;
    },
    /** That attempt is over; the next one is another. */
    forget: (offer: Offer, means: Means): void => void keys.current.delete(nameOf(offer, means)),
    forgetAll: (): void => keys.current.clear(),
  };
}

/** 128 random bits; `crypto.randomUUID` exists in secure contexts only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
