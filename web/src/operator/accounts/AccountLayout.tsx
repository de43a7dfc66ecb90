import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { ApiError } from '../../api/call.ts';
import { deployment } from '../../api/deployment.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { hasFailed, QueryError } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { useAccountName, viewsOf } from '../console-places.ts';
import classes from '../Operator.module.css';
import { accountOf, useIsAdmin, useKnownAccount } from '../operator.ts';
import { AccountActions, ActionsPlaceholder } from './AccountActions.tsx';

/** One account as its owner sees it, with masked recipients, and the operator's actions. */
export function AccountLayout() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(accountOf(id));
  const { data: account, error, isPending } = query;
  const known = useKnownAccount(id);
  const name = useAccountName() ?? '';
  const isAdmin = useIsAdmin();
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <>
      <ViewTitle id={id} name={name} />
      <PageHeading
        title={name}
        actions={
          account && account.state !== 'deleted' ? (
            <AccountActions account={account} />
          ) : isPending && isAdmin && known?.state !== 'deleted' ? (
            <ActionsPlaceholder />
          ) : null
        }
      >
        <span className={`${classes.accountId} flex flex-wrap items-center gap-x-2`}>
          {known?.name}
          <span className="-my-1 flex min-w-0 max-w-full items-center gap-1">
            <code className="truncate">{id}</code>
            <CopyButton value={id} label="Copy account ID" />
          </span>
        </span>
      </PageHeading>
      {hasFailed(query) ? (
        <QueryError
          query={query}
          {...(isMissing
            ? { title: 'There is no account with this id', message: 'Choose one in Accounts.' }
            : { message: 'Failed to load the account' })}
        />
      ) : (
        <Outlet />
      )}
    </>
  );
}

/** The document's title names the view and the account. React puts it before the title of the router. */
function ViewTitle({ id, name }: { id: string; name: string }) {
  const pathname = useLocation({ select: (location) => location.pathname.replace(/\/$/, '') });
  const view = viewsOf(id).find(({ path }) => path === pathname)?.title;
  return <title>{[view, name, deployment().brand_name].filter(Boolean).join(' · ')}</title>;
}
