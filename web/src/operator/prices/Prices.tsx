import { reason } from '@sixdigit/contract/operator/operator.ts';
import {
  getOperatorPrices,
  type OperatorPrices,
  PricesBody,
  updatePrices,
} from '@sixdigit/contract/operator/prices.ts';
import type { PriceList } from '@sixdigit/contract/prices.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { call } from '../../api/call.ts';
import { invalidate, store } from '../../api/read.ts';
import { LeaveGuard, UnsavedBar } from '../../form/UnsavedChanges.tsx';
import { PAYMENTS } from '../../payments/price-list.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Bar, WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { BundlePrices, CREDITS, FIELDS } from './BundlePrices.tsx';
import { Differences, HISTORY, PriceHistory } from './PriceHistory.tsx';
import { changedPanels, differences, prices } from './prices.ts';
import { SendPriceTable } from './SendPriceTable.tsx';

/** The prices of credits and sends. Changes apply to new sends and quotes in every process within a second. */
export function Prices() {
  const query = useQuery(prices);
  return (
    <>
      <PageHeading title={operatorPages.prices.title}>
        Each send costs the price in effect when it is accepted. A refund returns the same amount.
      </PageHeading>
      <Loaded
        query={query}
        failure="Failed to load the prices"
        waiting={
          <WaitingPanels>
            <WaitingPanel {...CREDITS} facts={FIELDS} rows={6} />
            <WaitingPanel title="Message prices" description={<Bar width="22rem" />} />
            <WaitingPanel {...HISTORY} rows={1} />
          </WaitingPanels>
        }
      >
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
    <div className="grid grid-cols-1 gap-5">
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

interface Props {
  state: OperatorPrices;
  draft: PriceList;
  discard: () => void;
}

/** The bar that validates and saves the unsaved changes. */
function SavePrices({ state, draft, discard }: Props) {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const changes = differences(state.prices, draft);
  const { version } = state;
  const { error } = PricesBody.safeParse({ ...draft, version, reason: 'to be entered' });
  const guard = <LeaveGuard isUnsaved={changes.length > 0}>Your price changes will be lost.</LeaveGuard>;
  if (changes.length === 0) return guard;
  return (
    <UnsavedBar
      text={`Unsaved changes: ${changedPanels(state.prices, draft)}`}
      save="Save Prices"
      onSave={() => setOpen(true)}
      onDiscard={discard}
      problem={error?.issues[0]?.message}
    >
      {guard}
      <ReasonDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Save Prices"
        description={<Differences changes={changes} nothing="No changes." />}
        schema={z.object({ reason })}
        confirm="Save Prices"
        success="Prices saved"
        submit={async (given) => {
          const saved = await call(updatePrices, { body: { ...draft, version, reason: given.reason } });
          await store(queryClient, prices, saved);
          void invalidate(queryClient, getOperatorPrices);
          void invalidate(queryClient, PAYMENTS);
        }}
      />
    </UnsavedBar>
  );
}
