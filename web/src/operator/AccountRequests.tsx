import { IconListDetails } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { revealRequest } from '#contract/operator-account-data.ts';
import type { RequestLog } from '#contract/request-logs.ts';
import { call } from '../api/call.ts';
import { compactRequestLog, requestLogColumns } from '../request-logs/columns.tsx';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { requestCount, requestPage } from './account-data.ts';
import { requestSearch } from './searches.ts';
import { useReveal } from './useReveal.tsx';

const outcomes = [
  { value: 'all', label: 'All requests' },
  { value: 'success', label: 'Successful' },
  { value: 'client_error', label: 'Refused (4xx)' },
  { value: 'server_error', label: 'Failed (5xx)' },
] as const;
const column = columnsOf<RequestLog>();

/** The requests with the API keys of an account. */
export function AccountRequests() {
  const { id } = useParams({ from: '/_app/operator/accounts_/$id' });
  const list = useList(requestSearch);
  const { revealed, button, dialog } = useReveal<RequestLog>({
    title: 'Reveal Recipient',
    schema: revealRequest.body,
    success: 'Recipient revealed',
    run: (request_id, body) => call(revealRequest, { params: { id, request_id }, body }),
  });
  const query = useQuery({
    ...requestPage(id, list.search),
    select: ({ results, ...page }) => ({ ...page, results: results.map((log) => revealed[log.id] ?? log) }),
  });
  const { columns, compact } = useMemo(() => {
    const action = (log: RequestLog) => (log.otp?.recipient ? button(log.id) : null);
    return {
      columns: [
        // The path follows from the action.
        ...requestLogColumns.filter((one) => one.id !== 'details'),
        ...column.columns([
          column.display({
            id: 'reveal',
            header: 'Actions',
            meta: { isAction: true, align: 'right', width: '6rem' },
            cell: ({ row: { original } }) => action(original),
          }),
        ]),
      ],
      compact: (log: RequestLog): Compact => ({ ...compactRequestLog(log), action: action(log) }),
    };
  }, [button]);
  return (
    <>
      <ListScreen
        label="Requests"
        noun="requests"
        placeholder="Search ids, keys, or a recipient..."
        filters={<FilterSelect list={list} name="status_code" label="Outcome" options={outcomes} />}
        list={list}
        query={query}
        counting={requestCount(id, list.search)}
        columns={columns}
        columnsWidth={940}
        compact={compact}
        rowId={(log) => log.id}
        error={{ title: 'Error loading data', message: 'Failed to load the requests' }}
        empty={{
          icon: <IconListDetails size={24} />,
          title: 'No requests',
          nothing: (
            <EmptyState icon={<IconListDetails size={24} />} title="No requests">
              Nothing was requested with the API keys of this account yet.
            </EmptyState>
          ),
          noMatch: 'No request matches the search and the filter.',
        }}
      />
      {dialog}
    </>
  );
}
