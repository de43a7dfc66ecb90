import type { Reconciliation as Found } from '@sixdigit/contract/operator/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Facts, number } from '../Facts.tsx';
import { reconciliation } from './payments.ts';

const PROVIDERS: Record<string, string> = {
  stripe: 'Stripe',
  stripe_test: 'Stripe, test mode',
  sandbox: 'Test cards',
  none: 'None',
};

/** Dashes while it loads, so that the list below keeps its place. */
const factsOf = (found: Found | undefined): Record<string, string> => ({
  Provider: found ? (PROVIDERS[found.provider] ?? found.provider) : '–',
  Compared: found ? shortDateTime(found.compared_at, 'Not yet') : '–',
  Result: found?.result ?? '–',
  'Refunds due': found
    ? number(found.unmatched.filter(({ refunded_at }) => refunded_at === null).length)
    : '–',
  'Failing events': found ? number(found.failing_events.length) : '–',
});

/** The findings of the daily comparison with the card provider. */
export function Reconciliation() {
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
