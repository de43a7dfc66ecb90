import { IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { accountPage } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { accountSearch } from '../searches.ts';
import { accountColumns, compactAccount } from './columns.tsx';

const states = [
  { value: 'all', label: 'All States' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'deleted', label: 'Deleted' },
] as const;

/** All accounts of the deployment. */
export function Accounts() {
  const list = useList(accountSearch);
  const query = useQuery(accountPage(list.search));
  const navigate = useNavigate();
  return (
    <>
      <PageHeading title={operatorPages.accounts.title}>
        Search by address or name, by a whole phone number, or by the id of an account, key, verification or
        payment.
      </PageHeading>
      <ListScreen
        label="Accounts"
        noun="account(s)"
        placeholder="Search accounts..."
        filters={<FilterSelect list={list} name="state" label="State" options={states} />}
        list={list}
        query={query}
        columns={accountColumns}
        compact={compactAccount}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/operator/accounts/$id', params: { id } })}
        failure="Failed to load the accounts"
        empty={{
          icon: <IconUsers size={24} />,
          title: 'No accounts',
          text: 'Accounts appear here when people sign up.',
          noMatch: 'No account matches the search and the filter.',
        }}
      />
    </>
  );
}
