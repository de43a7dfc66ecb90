import { Anchor, Button, Loader, Skeleton } from '@mantine/core';
import { failures } from '@sixdigit/contract/errors.ts';
import type { CreditPackage } from '@sixdigit/contract/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { Badge } from '../ui/Badge.tsx';
import { LoadingLines, QueryError } from '../ui/Loaded.tsx';
import { percent } from '../ui/numbers.ts';
import { Panel } from '../ui/Panel.tsx';
import { Tabs } from '../ui/Tabs.ts';
import classes from './Payments.module.css';
import { packages } from './payments.ts';
import { count, number, perCredit } from './prices.ts';
import { type Purchase, usePurchase } from './purchase.ts';

const ChooseCard = lazy(async () => ({ default: (await import('./ChooseCard.tsx')).ChooseCard }));
const CustomAmount = lazy(async () => ({ default: (await import('./CustomAmount.tsx')).CustomAmount }));
const PayWithNewCard = lazy(async () => ({ default: (await import('./PayWithNewCard.tsx')).PayWithNewCard }));

export const PurchaseCredits = () => (deployment().cards === 'none' ? <NotSetUp /> : <Steps />);

const titles = {
  select: 'Purchase Credits',
  choose: 'Choose Payment Method',
  pay: 'Complete Payment',
} as const;

function Steps() {
  const purchase = usePurchase();
  const { step } = purchase;
  const top = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(step);
  // Each step starts at its top, with scroll position and focus.
  useEffect(() => {
    if (step === shown) return;
    setShown(step);
    top.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: 'nearest' });
  }, [step, shown]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: the panel inside is the section; this element only takes the focus
    <div
      ref={top}
      tabIndex={-1}
      role="group"
      aria-label={titles[step]}
      className="scroll-mt-18 [outline:none]"
    >
      <Panel title={titles[step]}>
        <Suspense
          fallback={
            <div className={step === 'pay' ? classes.paying : undefined}>
              <LoadingLines />
            </div>
          }
        >
          {step === 'select' ? <Select purchase={purchase} /> : null}
          {step === 'choose' ? <ChooseCard purchase={purchase} /> : null}
          {step === 'pay' ? <PayWithNewCard purchase={purchase} /> : null}
        </Suspense>
      </Panel>
    </div>
  );
}

function Select({ purchase }: { purchase: Purchase }) {
  return (
    <>
      {purchase.isRepriced ? <Reprice purchase={purchase} /> : null}
      <Tabs
        defaultValue="bundles"
        keepMounted={false}
        onPointerEnter={purchase.prepare}
        onFocus={purchase.prepare}
      >
        <Tabs.List className="mb-5">
          <Tabs.Tab value="bundles">Credit Bundles</Tabs.Tab>
          <Tabs.Tab value="custom">Custom Amount</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="bundles">
          <Bundles purchase={purchase} />
        </Tabs.Panel>
        <Tabs.Panel value="custom">
          <Suspense fallback={<LoadingLines />}>
            <CustomAmount purchase={purchase} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function NotSetUp() {
  const { support_email } = deployment();
  return (
    <Panel title="Purchase Credits">
      <p className="m-0 max-w-168">
        {failures.payments_not_configured.error} To get credits, write to{' '}
        <Anchor href={`mailto:${support_email}`} inherit>
          {support_email}
        </Anchor>
        .
      </p>
    </Panel>
  );
}

/** Asks the user to accept a changed price. */
function Reprice({ purchase: { offer, isBusy, begin, reset } }: { purchase: Purchase }) {
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

const SKELETONS = [1, 2, 3, 4, 5, 6] as const;

function Bundles({ purchase }: { purchase: Purchase }) {
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
