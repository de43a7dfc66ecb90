import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { deployment } from '../../api/deployment.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { useAccountName, viewsOf } from '../console-places.ts';
import { accountOf } from '../operator.ts';
import { AccountActions } from './AccountActions.tsx';

/** One account as its owner sees it, with masked recipients, and the operator's actions. */
export function AccountLayout() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(accountOf(id));
  return (
    <>
      <ViewTitle id={id} />
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
    </>
  );
}

/** The document's title names the view and the account. React puts it before the title of the router. */
function ViewTitle({ id }: { id: string }) {
  const pathname = useLocation({ select: (location) => location.pathname.replace(/\/$/, '') });
  const name = useAccountName();
  const view = viewsOf(id).find(({ path }) => path === pathname)?.title;
  return <title>{[view, name, deployment().brand_name].filter(Boolean).join(' · ')}</title>;
}
