import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { accountOf } from '../operator.ts';
import { AccountActions } from './AccountActions.tsx';

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
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
