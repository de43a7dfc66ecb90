import { pages } from '../pages.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Balance } from './Balance.tsx';
import classes from './Credits.module.css';
import { PurchaseCredits } from './PurchaseCredits.tsx';
import { Transactions } from './Transactions.tsx';

/** Balance, purchase and payment history. */
export const Credits = () => (
  <>
    <PageHeading title={pages.credits.title}>Every code costs one credit; checking it is free.</PageHeading>
    <div className={classes.sections}>
      <Balance />
      <PurchaseCredits />
      <Transactions />
    </div>
  </>
);
