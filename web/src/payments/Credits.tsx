import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { deployment } from '../api/deployment.ts';
import { pages } from '../pages.ts';
import { AUTO_PURCHASE, branding } from '../settings/settings.ts';
import { PageLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PurchaseCredits } from './PurchaseCredits.tsx';
import { prices } from './price-list.ts';
import { count, number } from './prices.ts';
import { areDefault, pricingNote } from './send-prices.ts';
import { Transactions } from './Transactions.tsx';

function Costs() {
  const { data } = useQuery(prices);
  return `Every code costs ${data && areDefault(data.sends) ? 'one credit' : 'credits'}. Verifying a code is free.`;
}

/** Balance, purchase and payment history. */
export const Credits = () => (
  <>
    <PageHeading title={pages.credits.title}>
      <Costs />
    </PageHeading>
    <div className="grid grid-cols-1 gap-5">
      <Balance />
      <PurchaseCredits />
      <Transactions />
    </div>
  </>
);

function Balance() {
  const { data: user } = useQuery(currentUser);
  const { data } = useQuery(prices);
  return (
    <Panel title="Current Balance">
      <div className="grid grid-cols-1 items-center justify-between gap-x-10 gap-y-3 md:grid-cols-[auto_minmax(0,30rem)]">
        <p className="m-0 min-h-11 text-ink-soft" aria-live="polite">
          {user ? (
            <>
              <strong className="text-[2.25rem] leading-[1.1] font-650 tracking-[-0.025em] text-ink tabular-nums">
                {number(user.credits)}
              </strong>{' '}
              {user.credits === 1 ? 'credit' : 'credits'}
            </>
          ) : (
            <Skeleton height={36} width={112} />
          )}
        </p>
        <div className="max-w-120 text-14 text-ink-soft [&_p]:my-[0.15rem]">
          {data ? <p>{pricingNote(data.sends)}</p> : null}
          {user && user.debt > 0 ? (
            <p className="text-error">
              A refund or dispute reversed credits that were already spent. Your next purchase covers these{' '}
              {count(user.debt)} first.
            </p>
          ) : null}
          {deployment().cards === 'none' ? null : <AutoPurchase />}
        </div>
      </div>
    </Panel>
  );
}

/** Links to the auto-purchase setting, and describes it once it is on. */
function AutoPurchase() {
  const { data } = useQuery(branding);
  if (!data?.auto_purchase_enabled)
    return (
      <p>
        <PageLink to="/settings" hash={AUTO_PURCHASE}>
          Set up auto-purchase
        </PageLink>{' '}
        so that you never run out.
      </p>
    );
  return (
    <p>
      Auto-purchase is on: below {count(data.auto_purchase_threshold)} it buys{' '}
      {count(data.auto_purchase_amount)}.{' '}
      <PageLink to="/settings" hash={AUTO_PURCHASE}>
        Change auto-purchase
      </PageLink>
    </p>
  );
}
