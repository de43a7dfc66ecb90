import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { accountOf } from '../operator.ts';
import { Tab, TabBar } from '../TabBar.tsx';
import { AccountActions } from './AccountActions.tsx';

const views = [
  { to: '/operator/accounts/$id', title: 'Overview' },
  { to: '/operator/accounts/$id/verifications', title: 'Verifications' },
  { to: '/operator/accounts/$id/requests', title: 'Requests' },
  { to: '/operator/accounts/$id/insights', title: 'Insights' },
  { to: '/operator/accounts/$id/webhooks', title: 'Webhooks' },
  { to: '/operator/accounts/$id/payments', title: 'Payments' },
  { to: '/operator/accounts/$id/blocks', title: 'Blocks' },
  { to: '/operator/accounts/$id/activity', title: 'Activity' },
  { to: '/operator/accounts/$id/settings', title: 'Settings' },
] as const;

/** One account as its owner sees it, with masked recipients, and the operator's actions. */
export function AccountLayout() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(accountOf(id));
  return (
    <Loaded query={query} failure="Failed to load the account" waiting={<PanelSkeletons lines={[4, 3]} />}>
      {(account) => (
        <>
          <PageHeading
            title={account.email ?? 'Deleted account'}
            actions={account.state === 'deleted' ? undefined : <AccountActions account={account} />}
          >
            <code>{account.id}</code>
          </PageHeading>
          <TabBar label="Account">
            {views.map(({ to, title }) => (
              <Tab key={to} to={to} params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
                {title}
              </Tab>
            ))}
          </TabBar>
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
