import { useQuery } from '@tanstack/react-query';
import { pages } from '../pages.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Balance } from './Balance.tsx';
import classes from './Credits.module.css';
import { PurchaseCredits } from './PurchaseCredits.tsx';
import { prices } from './price-list.ts';
import { areDefault } from './send-prices.ts';
import { Transactions } from './Transactions.tsx';

function Costs() {
  const { data } = useQuery(prices);
  return `Every code costs ${data && areDefault(data.sends) ? 'one credit' : 'credits'}; checking it is free.`;
}

/** Balance, purchase and payment history. */
export const Credits = () => (
  <>
    <PageHeading title={pages.credits.title}>
      <Costs />
    </PageHeading>
    <div className={classes.sections}>
      <Balance />
      <PurchaseCredits />
      <Transactions />
    </div>
  </>
);
