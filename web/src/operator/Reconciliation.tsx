import { useQuery } from '@tanstack/react-query';
import { shortDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Facts, number } from './Facts.tsx';
import { reconciliation } from './payments.ts';

const PROVIDERS: Record<string, string> = {
  stripe: 'Stripe',
  stripe_test: 'Stripe, test mode',
  sandbox: 'Test cards',
  none: 'None',
};

/** The findings of the daily comparison with the card provider. */
export function Reconciliation() {
  const query = useQuery(reconciliation);
  return (
    <Panel title="Reconciliation" description="The daily comparison of the ledger with the card provider.">
      <Loaded query={query} failure="Failed to load the reconciliation">
        {({ provider, compared_at, result, unmatched, failing_events }) => (
          <Facts
            isDense
            facts={{
              Provider: PROVIDERS[provider] ?? provider,
              Compared: shortDateTime(compared_at, 'Not yet'),
              Result: result ?? '–',
              'Refunds due': number(unmatched.filter(({ refunded_at }) => refunded_at === null).length),
              'Failing events': number(failing_events.length),
            }}
          />
        )}
      </Loaded>
    </Panel>
  );
}
