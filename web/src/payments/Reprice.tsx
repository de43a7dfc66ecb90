import { Button } from '@mantine/core';
import classes from './Credits.module.css';
import { count } from './prices.ts';
import type { Purchase } from './purchase.ts';

/** Asks the buyer to accept a changed price. */
export function Reprice({ purchase: { isRepriced, offer, isBusy, begin, reset } }: { purchase: Purchase }) {
  if (!isRepriced || !offer) return null;
  return (
    <section className={classes.repriced} aria-label="New price">
      <p>
        {count(offer.credits)} now cost <strong>{offer.price_display}</strong>.
      </p>
      <div className={classes.buttons}>
        <Button variant="default" size="compact-md" onClick={reset}>
          Cancel
        </Button>
        <Button size="compact-md" loading={isBusy} onClick={() => begin(offer)}>
          Buy for {offer.price_display}
        </Button>
      </div>
    </section>
  );
}
