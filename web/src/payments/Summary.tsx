import { count, perCredit } from './prices.ts';
import type { Purchase } from './purchase.ts';
import classes from './Steps.module.css';

/** The selected credits and their price. */
export const Summary = ({ purchase: { offer, isRepriced } }: { purchase: Purchase }) =>
  offer ? (
    <dl className={classes.summary} aria-label="Summary">
      <div>
        <dt>{count(offer.credits)}</dt>
        <dd className={classes.rate}>{perCredit(offer)}</dd>
      </div>
      <div className={classes.total}>
        <dt>{isRepriced ? 'New total' : 'Total'}</dt>
        <dd>{offer.price_display}</dd>
      </div>
    </dl>
  ) : null;
