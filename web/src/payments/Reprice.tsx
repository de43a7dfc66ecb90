import { Button } from '@mantine/core';
import { count } from './prices.ts';
import type { Purchase } from './purchase.ts';

/** Asks the user to accept a changed price. */
export function Reprice({ purchase: { offer, isBusy, begin, reset } }: { purchase: Purchase }) {
  if (!offer) return null;
  return (
    <section
      className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-10 bg-orange-soft px-4 py-3 text-on-orange-soft"
      aria-label="New price"
    >
      <p className="m-0">
        {count(offer.credits)} now cost <strong>{offer.price_display}</strong>.
      </p>
      <div className="flex flex-wrap justify-between gap-2.5">
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
