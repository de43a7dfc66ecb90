import { Button, Skeleton } from '@mantine/core';
import type { CreditPackage } from '@sixdigit/contract/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Badge } from '../ui/Badge.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import classes from './Bundles.module.css';
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
    <ul className={classes.bundles} aria-busy={data === undefined}>
      {data
        ? data.map((bundle) => <Bundle key={bundle.credits} bundle={bundle} purchase={purchase} />)
        : SKELETONS.map((place) => (
            <li key={place}>
              <Skeleton height={208} radius="md" />
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
      <article className={classes.bundle} data-popular={popular || undefined} aria-labelledby={id}>
        <div className={classes.badges}>
          {popular ? <Badge tone="petrol">Most Popular</Badge> : null}
          {discount > 0 ? (
            <Badge tone="green">Save {discount}%</Badge>
          ) : (
            <Badge tone="outline">Save when purchasing more</Badge>
          )}
        </div>
        <h3 id={id} className={classes.credits}>
          <strong>{number(credits)}</strong> credits
        </h3>
        <p className={classes.price}>{price_display}</p>
        <p className={classes.each}>{perCredit(bundle)}</p>
        <Button
          fullWidth
          variant={popular ? 'filled' : 'default'}
          aria-describedby={id}
          loading={purchase.isBusy && isChosen}
          disabled={purchase.isBusy && !isChosen}
          onClick={() => purchase.begin(bundle)}
        >
          Purchase Bundle
        </Button>
      </article>
    </li>
  );
}
