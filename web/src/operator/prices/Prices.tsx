import type { OperatorPrices } from '@sixdigit/contract/operator/prices.ts';
import type { PriceList } from '@sixdigit/contract/prices.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import classes from '../Operator.module.css';
import { operatorPages } from '../operator-pages.ts';
import { useIsAdmin } from '../useIsAdmin.ts';
import { BundlePrices } from './BundlePrices.tsx';
import { PriceHistory } from './PriceHistory.tsx';
import { prices } from './prices.ts';
import { SavePrices } from './SavePrices.tsx';
import { SendPriceTable } from './SendPriceTable.tsx';

/** The prices of credits and sends. A change holds for new sends and quotes on every process within a second. */
export function Prices() {
  const query = useQuery(prices);
  return (
    <>
      <PageHeading title={operatorPages.prices.title}>
        A send is charged the price at which it was answered, and a refund returns the same.
      </PageHeading>
      <Loaded query={query} failure="Failed to load the prices" waiting={<PanelSkeletons lines={[6, 2]} />}>
        {(state) => <PricesForm key={state.version} state={state} />}
      </Loaded>
    </>
  );
}

function PricesForm({ state }: { state: OperatorPrices }) {
  const isAdmin = useIsAdmin();
  const [draft, setDraft] = useState<PriceList>(state.prices);
  const change = (part: Partial<PriceList>) => setDraft((now) => ({ ...now, ...part }));
  return (
    <div className={classes.sections}>
      <BundlePrices draft={draft} change={isAdmin ? change : undefined} />
      <SendPriceTable
        draft={draft}
        version={state.version}
        hasChanges={draft !== state.prices}
        change={isAdmin ? change : undefined}
      />
      <PriceHistory />
      {isAdmin ? <SavePrices state={state} draft={draft} discard={() => setDraft(state.prices)} /> : null}
    </div>
  );
}
