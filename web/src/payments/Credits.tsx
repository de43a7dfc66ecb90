import { Anchor, Button, Skeleton } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ForRole } from '../accounts/ForRole.tsx';
import { ownAccounts } from '../accounts/own-accounts.ts';
import { deployment } from '../api/deployment.ts';
import { pages } from '../pages.ts';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { hasFailed, QueryError } from '../ui/Loaded.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { AutoPurchase } from './AutoPurchase.tsx';
import { compactTransaction, transactionColumns } from './columns.tsx';
import classes from './Payments.module.css';
import { PurchaseCredits } from './PurchaseCredits.tsx';
import { transactionExport, transactionPage, transactionSearch } from './payments.ts';
import { prices } from './price-list.ts';
import { count, number } from './prices.ts';
import { pricingNote } from './send-prices.ts';
import { UnverifiedCosts } from './UnverifiedCosts.tsx';

const LowBalanceDialog = lazyDialog(async () => (await import('./LowBalanceDialog.tsx')).LowBalanceDialog);

/** Balance, purchase and payment history. */
export const Credits = () => (
  <ForRole to="listTransactions" title={pages.credits.title}>
    <PageHeading title={pages.credits.title}>Sending a code costs credits. Verifying it is free.</PageHeading>
    <div className="grid grid-cols-1 gap-5">
      <div className={`grid grid-cols-1 gap-5 ${deployment().cards === 'none' ? '' : 'lg:grid-cols-2'}`}>
        <Balance />
        {deployment().cards === 'none' ? null : <AutoPurchase />}
      </div>
      <PurchaseCredits />
      <UnverifiedCosts />
      <Transactions />
    </div>
  </ForRole>
);

function Balance() {
  const { data: user } = useQuery(currentUser);
  const priceList = useQuery(prices);
  const { data } = priceList;
  const dialog = useOpened('step');
  return (
    <Panel title="Current Balance" actions={<Transfer />}>
      <div className="grid gap-3">
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
        {hasFailed(priceList) ? <QueryError query={priceList} message="Failed to load the prices" /> : null}
        <div className={`${classes.balance} max-w-120 text-14 text-ink-soft [&_p]:my-[0.15rem]`}>
          {data ? <p>{pricingNote(data.sends, deployment().channels)}</p> : null}
          {user && user.debt > 0 ? (
            <p className="text-error">
              A refund or dispute reversed credits that were already spent. Your next purchase covers these{' '}
              {count(user.debt)} first.
            </p>
          ) : null}
          {user ? (
            <>
              <p>
                {user.low_balance_threshold === null
                  ? 'Warnings about a low balance are off.'
                  : `Below ${count(user.low_balance_threshold)}, every screen warns and you get an email.`}
              </p>
              <Anchor
                className="touch:min-h-11"
                component="button"
                type="button"
                inherit
                onClick={() => dialog.open('low-balance')}
              >
                Change warnings
              </Anchor>
            </>
          ) : null}
        </div>
      </div>
      <LowBalanceDialog opened={dialog.opened === 'low-balance'} onClose={dialog.close} />
    </Panel>
  );
}

const TransferDialog = lazyDialog(async () => (await import('./TransferDialog.tsx')).TransferDialog);

/** For an owner of several accounts. */
function Transfer() {
  const { data: user } = useQuery(currentUser);
  const isOwner = user?.role === 'owner';
  const { data: accounts } = useQuery({ ...ownAccounts, enabled: isOwner });
  const dialog = useOpened('step');
  const others = (accounts?.results ?? []).filter(
    ({ id, role }) => role === 'owner' && id !== user?.account_id,
  );
  // The menu loads the accounts for other roles too.
  if (!isOwner || others.length === 0) return null;
  return (
    <>
      <Button variant="default" onClick={() => dialog.open('transfer')}>
        Move Credits
      </Button>
      <TransferDialog
        opened={dialog.opened === 'transfer'}
        onClose={dialog.close}
        to={others}
        balance={user.credits}
      />
    </>
  );
}

const TYPES = [
  { value: 'purchases', label: 'Purchases' },
  { value: 'usage', label: 'Usage' },
  { value: 'all', label: 'All' },
];
const EMPTY = {
  purchases: 'Purchases, free credits and card refunds are listed here.',
  usage: 'Sends that cost credits and their refunds are listed here.',
  all: 'Purchases, refunds and spent credits are listed here.',
};
const NO_MATCH = {
  purchases: (text: string) => `No purchase matches “${text}”. Usage has its own list.`,
  usage: (text: string) => `No usage matches “${text}”. Purchases have their own list.`,
  all: (text: string) => `No transaction matches “${text}”.`,
};

/** The payment history: purchases with their receipts, and the usage of credits. */
function Transactions() {
  const list = useList(transactionSearch);
  const query = useQuery(transactionPage(list.search));
  const { type, search } = list.search;
  // The type is a view of its own. Only the search narrows it.
  const shown = { ...list, isFiltered: search !== '', reset: () => list.change({ search: '' }) };
  return (
    <section className="mt-3" aria-labelledby="payment-history">
      <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="payment-history" className="m-0 text-20 font-650">
          Payment History
        </h2>
        <SegmentedControl
          aria-label="Type of transactions"
          data={TYPES}
          value={type}
          onChange={(value) => list.change({ type: value as typeof type })}
        />
      </div>
      <ListScreen
        label="Payment History"
        noun="transaction(s)"
        placeholder="Search transactions..."
        list={shown}
        query={query}
        columns={transactionColumns}
        exporting={transactionExport(list.search)}
        isLive
        columnsWidth={840}
        compact={compactTransaction}
        rowId={(transaction) => transaction.id}
        failure="Failed to fetch transactions"
        empty={{
          icon: <IconReceipt size={24} />,
          title: 'No transactions found',
          text: EMPTY[type],
          noMatchTitle: 'No transactions found',
          noMatch: NO_MATCH[type](search),
        }}
      />
    </section>
  );
}
