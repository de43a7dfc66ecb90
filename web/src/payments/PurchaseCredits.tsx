import { Anchor, Button } from '@mantine/core';
import { failures } from '@sixdigit/contract/errors.ts';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { LoadingLines } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Tabs } from '../ui/Tabs.ts';
import { Bundles } from './Bundles.tsx';
import classes from './Payments.module.css';
import { count } from './prices.ts';
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
