import type { ReactNode } from 'react';
import classes from './Payments.module.css';
import { count, perCredit } from './prices.ts';
import type { Purchase } from './purchase.ts';

/** A step of the purchase next to the selected credits and their price, or below them where there is little room. */
export const WithSummary = ({ purchase, children }: { purchase: Purchase; children: ReactNode }) => (
  <div className={`${classes.step} grid items-start gap-x-10 gap-y-5`}>
    <Summary purchase={purchase} />
    <div className={`${classes.form} grid gap-4.5`}>{children}</div>
  </div>
);

const Summary = ({ purchase: { offer, isRepriced } }: { purchase: Purchase }) =>
  offer ? (
    <dl
      className={`${classes.summary} m-0 grid gap-[0.35rem] rounded-12 bg-sunken px-4.5 py-3.5 whitespace-nowrap tabular-nums`}
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
