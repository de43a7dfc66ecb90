import {
  type Reconciliation as Found,
  listPurchases,
  type OperatorPurchase,
  refundPurchase,
} from '@sixdigit/contract/operator/payments.ts';
import { IconCreditCard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { count } from '../../payments/prices.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { NumberInput } from '../../ui/NumberInput.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAsked } from '../asked.ts';
import { Facts, number } from '../Facts.tsx';
import { useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonInput } from '../ReasonDialog.tsx';
import { purchaseSearch } from '../searches.ts';
import { AccountingExport } from './AccountingExport.tsx';
import { compactPurchase, purchaseColumns } from './columns.tsx';
import { Disputes, OpenDisputes } from './Disputes.tsx';
import { creditsRemovedBy, displayCents, isRefundable, purchasePage, reconciliation } from './payments.ts';

const statuses = [
  { value: 'all', label: 'All Statuses' },
  { value: 'succeeded', label: 'Completed' },
  { value: 'reversed', label: 'Refunded or disputed' },
  { value: 'pending', label: 'Pending' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceled', label: 'Canceled' },
] as const;

/** Purchases of all accounts, with refunds to the card. */
export function Payments() {
  const list = useList(purchaseSearch);
  const query = useQuery(purchasePage(list.search));
  const [chosen, setChosen] = useState<OperatorPurchase>();
  const [isOpen, setOpen] = useState(false);
  const isAdmin = useIsAdmin();
  const refund = useCallback((purchase: OperatorPurchase): void => {
    setChosen(purchase);
    setOpen(true);
  }, []);
  const { columns, compact } = useMemo(() => {
    const ask = isAdmin ? refund : undefined;
    return { columns: purchaseColumns(ask), compact: compactPurchase(ask) };
  }, [isAdmin, refund]);
  const named = query.data?.results.find(({ id }) => id === list.search.search);
  useAsked(isAdmin && named && isRefundable(named) ? ['refund'] : [], () => named && refund(named));
  return (
    <>
      <PageHeading
        title={operatorPages.payments.title}
        actions={
          <>
            <OpenDisputes />
            <AccountingExport />
          </>
        }
      >
        A refund returns money to the card and removes the same share of the credits.
      </PageHeading>
      <div className="grid grid-cols-1 gap-5">
        <ListScreen
          label="Purchases"
          noun="purchase(s)"
          placeholder="Email address or full id..."
          filters={<FilterSelect list={list} name="status" label="Status" options={statuses} />}
          list={list}
          query={query}
          columns={columns}
          compact={compact}
          rowId={({ id }) => id}
          failure="Failed to load the payments"
          empty={{
            icon: <IconCreditCard size={24} />,
            title: 'No purchases',
            text: 'Purchases appear here as soon as customers buy credits.',
            noMatch: 'No purchase matches the search and the filter.',
          }}
        />
        {/* After the list, whose height is known only then, so that they do not move. */}
        {query.isPending ? null : (
          <>
            <Disputes />
            <Reconciliation />
          </>
        )}
      </div>
      <RefundDialog opened={isOpen} onClose={() => setOpen(false)} purchase={chosen} />
    </>
  );
}

interface RefundProps {
  opened: boolean;
  onClose: () => void;
  purchase: OperatorPurchase | undefined;
}

const RefundDialog = ({ purchase, ...dialog }: RefundProps) => (
  <FormDialog
    {...dialog}
    title="Refund Purchase"
    description={purchase && refundText(purchase)}
    confirm="Refund Purchase"
    busy="Refunding..."
    isDangerous
    success="Purchase refunded"
    refresh={[listPurchases]}
    form={
      purchase && {
        schema: refundPurchase.body,
        initialValues: {
          cents: ((purchase.price_usd_cents - purchase.refunded_cents) / 100) as number | string,
          reason: '',
          // One id per opening of the dialog, so that a retry after a lost response refunds once.
          refund_id: newIdempotencyKey(),
        },
        toBody: ({ cents, ...given }) => ({
          cents: centsOf(cents),
          ...given,
        }),
        submit: (body) => call(refundPurchase, { params: { id: purchase.id }, body }),
        failure: 'Failed to refund the purchase',
      }
    }
  >
    {({ field, fields }) => (
      <>
        <NumberInput
          label="Amount"
          description={purchase && removalText(fields.values.cents, purchase)}
          prefix="$"
          decimalScale={2}
          fixedDecimalScale
          inputMode="decimal"
          min={0}
          {...field('cents')}
        />
        <ReasonInput data-autofocus {...field('reason')} />
      </>
    )}
  </FormDialog>
);

/** Undefined for an empty field: the service refunds what is left. */
const centsOf = (dollars: number | string): number | undefined =>
  dollars === '' ? undefined : Math.round(Number(dollars) * 100);

function removalText(dollars: number | string, purchase: OperatorPurchase): string {
  const cents = centsOf(dollars) ?? purchase.price_usd_cents - purchase.refunded_cents;
  return `Removes ${count(creditsRemovedBy(cents, purchase))}.`;
}

function refundText(purchase: OperatorPurchase): string {
  const { email, credits, created_at, price_usd_cents: price, refunded_cents } = purchase;
  const left = displayCents(price - refunded_cents);
  return `${email ?? 'A deleted account'} bought ${count(credits)} on ${shortDateTime(created_at)}. ${refunded_cents === 0 ? left : `${left} of ${displayCents(price)}`} can be refunded. Credits already spent become debt.`;
}

const PROVIDERS: Record<string, string> = {
  stripe: 'Stripe',
  stripe_test: 'Stripe, test mode',
  sandbox: 'Test cards',
  none: 'None',
};

/** Shows dashes while loading, so that the list below does not move. */
const factsOf = (found: Found | undefined): Record<string, string> => ({
  Provider: found ? (PROVIDERS[found.provider] ?? found.provider) : '–',
  Compared: found ? shortDateTime(found.compared_at, 'Not yet') : '–',
  'Missing in the ledger': found?.result?.replace(/ missing$/, '') ?? '–',
  'Refunds due': found
    ? number(found.unmatched.filter(({ refunded_at }) => refunded_at === null).length)
    : '–',
  'Failing events': found ? number(found.failing_events.length) : '–',
});

/** The result of the daily comparison with the card provider. */
function Reconciliation() {
  const query = useQuery(reconciliation);
  return (
    <Panel title="Reconciliation" description="The daily comparison of the ledger with the card provider.">
      <Loaded
        query={query}
        failure="Failed to load the reconciliation"
        waiting={<Facts isDense facts={factsOf(undefined)} />}
      >
        {(found) => <Facts isDense facts={factsOf(found)} />}
      </Loaded>
    </Panel>
  );
}
