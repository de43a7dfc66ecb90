import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { deployment } from '../api/deployment.ts';
import { PageLink } from '../ui/links.tsx';
import { Panel } from '../ui/Panel.tsx';
import classes from './Credits.module.css';
import { prices } from './price-list.ts';
import { count, number } from './prices.ts';
import { pricingNote } from './send-prices.ts';

export function Balance() {
  const { data: user } = useQuery(currentUser);
  const { data } = useQuery(prices);
  return (
    <Panel title="Current Balance">
      <div className={classes.balance}>
        <p className={classes.amount} aria-live="polite">
          {user ? (
            <>
              <strong>{number(user.credits)}</strong> {user.credits === 1 ? 'credit' : 'credits'}
            </>
          ) : (
            <Skeleton height={36} width={112} />
          )}
        </p>
        <div className={classes.notes}>
          <p>{pricingNote(data?.sends ?? [])}</p>
          {user && user.debt > 0 ? (
            <p className={classes.debt}>
              A refund or dispute took back credits that were already spent: your next purchase pays{' '}
              {count(user.debt)} first.
            </p>
          ) : null}
          {deployment().cards === 'none' ? null : (
            <p>
              <PageLink to="/settings">Set up auto-purchase</PageLink> to never run out.
            </p>
          )}
        </div>
      </div>
    </Panel>
  );
}
