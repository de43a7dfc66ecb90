import type { ReactNode } from 'react';
import { count, perCredit } from './prices.ts';
import type { Purchase } from './purchase.ts';

/** A step of the purchase next to the selected credits and their price, or below them where there is little room. */
export const WithSummary = ({ purchase, children }: { purchase: Purchase; children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)_20rem] items-start gap-x-10 gap-y-5 max-[992px]:grid-cols-[minmax(0,34rem)]">
    <Summary purchase={purchase} />
    <div className="grid gap-4.5 min-[992px]:row-[1]">{children}</div>
  </div>
);

const Summary = ({ purchase: { offer, isRepriced } }: { purchase: Purchase }) =>
  offer ? (
    <dl
      className="m-0 grid gap-[0.35rem] rounded-12 bg-sunken px-4.5 py-3.5 whitespace-nowrap tabular-nums min-[992px]:col-[2]"
      aria-label="Summary"
    >
      <div className="flex justify-between gap-3">
        <dt>{count(offer.credits)}</dt>
        <dd className="m-0 text-14 text-ink-soft">{perCredit(offer)}</dd>
      </div>
      <div className="flex justify-between gap-3 text-17 font-650">
        <dt>{isRepriced ? 'New total' : 'Total'}</dt>
        <dd className="m-0">{offer.price_display}</dd>
      </div>
    </dl>
  ) : null;
