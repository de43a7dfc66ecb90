import type { PriceQuote } from '@sixdigit/contract/payments.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';

/** The credits to buy and the price that the buyer saw. */
export type Offer = Pick<PriceQuote, 'credits' | 'price_usd_cents' | 'price_display'>;

/** A saved card's id, or a new card that is saved or not. */
type Means = string;
export const newCard = (saves: boolean): Means => (saves ? 'new card, saved' : 'new card');

/**
 * One idempotency key per attempt: the same offer and payment method. A repeated attempt is charged once, even after "back" or a
 * lost response.
 */
export function attemptKeys(newKey: () => string = newIdempotencyKey) {
  const keys = new Map<string, string>();
  const nameOf = ({ credits, price_usd_cents }: Offer, means: Means): string =>
    `${credits} ${price_usd_cents} ${means}`;
  return {
    keyOf(offer: Offer, means: Means): string {
      const name = nameOf(offer, means);
      const key = keys.get(name) ?? newKey();
      keys.set(name, key);
      return key;
    },
    /** Ends the attempt, so that the next one gets a new key. */
    forget: (offer: Offer, means: Means): void => void keys.delete(nameOf(offer, means)),
    forgetAll: (): void => keys.clear(),
  };
}
