import { Button, Loader, Skeleton } from '@mantine/core';
import type { CreditPackage } from '@sixdigit/contract/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Badge } from '../ui/Badge.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import { percent } from '../ui/numbers.ts';
import classes from './Payments.module.css';
import { packages } from './payments.ts';
import { number, perCredit } from './prices.ts';
import type { Purchase } from './purchase.ts';

const SKELETONS = [1, 2, 3, 4, 5, 6] as const;

export function Bundles({ purchase }: { purchase: Purchase }) {
  const query = useQuery(packages);
  const { data, isError } = query;
  if (isError && !data) {
    return <QueryError query={query} message="Failed to load credit bundles" />;
  }
  return (
    // Six bundles fill two rows.
    <ul
      className="m-0 grid list-none grid-cols-[repeat(auto-fill,minmax(13.5rem,1fr))] gap-3.5 p-0 max-sm:grid-cols-[1fr] min-[1100px]:has-[>:nth-child(6):last-child]:grid-cols-[repeat(3,1fr)]"
      aria-busy={data === undefined}
    >
      {data
        ? data.map((bundle) => <Bundle key={bundle.credits} bundle={bundle} purchase={purchase} />)
        : SKELETONS.map((place) => (
            <li
              key={place}
              className={`${classes.bundle} grid content-between rounded-12 border border-line bg-canvas px-4.5 py-4`}
            >
              <Skeleton height={20} width="55%" radius="xl" />
              <Skeleton height={36} radius="md" />
            </li>
          ))}
    </ul>
  );
}

function Bundle({ bundle, purchase }: { bundle: CreditPackage; purchase: Purchase }) {
  const id = useId();
  const { credits, price_display, popular, discount } = bundle;
  const isChosen = purchase.offer?.credits === credits;
  return (
    <li>
      <article
        className={`${popular ? 'border-accent' : 'border-line'} ${classes.offer} flex h-full flex-col rounded-12 border bg-canvas px-4.5 pt-4 pb-4.5`}
        style={popular ? { boxShadow: 'inset 0 0 0 1px var(--accent)' } : undefined}
        aria-labelledby={id}
      >
        <div className={`${classes.badges} mb-3 flex flex-wrap gap-[0.35rem]`}>
          {popular ? <Badge tone="petrol">Most Popular</Badge> : null}
          {discount > 0 ? (
            <Badge tone="green">Save {percent(discount / 100)}</Badge>
          ) : (
            <Badge tone="outline">Save when purchasing more</Badge>
          )}
        </div>
        <h3 id={id} className="m-0 text-15 font-[450] text-ink-soft">
          <strong className="text-24 font-650 tracking-[-0.02em] text-ink tabular-nums">
            {number(credits)}
          </strong>{' '}
          credits
        </h3>
        <p className={`${classes.price} mt-2 mb-0 text-17 font-600 tabular-nums`}>{price_display}</p>
        <p className={`${classes.unit} mt-[0.05rem] mb-4 flex-1 text-13 text-ink-soft tabular-nums`}>
          {perCredit(bundle)}
        </p>
        <Button
          fullWidth
          variant={popular ? 'filled' : 'default'}
          aria-describedby={id}
          aria-disabled={purchase.isBusy}
          leftSection={
            purchase.isBusy && isChosen ? <Loader type="oval" size={16} color="currentColor" /> : null
          }
          onClick={() => {
            if (!purchase.isBusy) purchase.begin(bundle);
          }}
        >
          Purchase Bundle
        </Button>
      </article>
    </li>
  );
}
