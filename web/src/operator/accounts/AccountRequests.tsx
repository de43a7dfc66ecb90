import { revealRequest } from '@sixdigit/contract/operator/account-data.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { IconListDetails } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { KeyFilter } from '../../api-keys/ApiKeyFilter.tsx';
import { MoreFilters } from '../../otp/MoreFilters.tsx';
import { hasRoute } from '../../otp/route-filters.ts';
import { compactRequestLog, repeatsNote, requestLogColumns } from '../../request-logs/columns.tsx';
import { RequestDetails } from '../../request-logs/RequestLogSheet.tsx';
import { periods, requestLogSearch, statusCodeChoices } from '../../request-logs/request-logs.ts';
import { columnsOf } from '../../table/columns.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import type { ListMode } from '../../table/ModeSwitch.tsx';
import { PeriodFilter } from '../../table/PeriodFilter.tsx';
import { ShowAllTime } from '../../table/ShowAllTime.tsx';
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { PageLink } from '../../ui/links.tsx';
import { useLastShown } from '../../ui/shown.ts';
import { Tabs } from '../../ui/Tabs.ts';
import { accountOf } from '../operator.ts';
import { requestCount, requestPage } from './data.ts';
import { useReveal } from './useReveal.tsx';

const column = columnsOf<RequestLog>();

/** The requests made with the account's API keys. */
export function AccountRequests() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const list = useList(requestLogSearch);
  const { data: account } = useQuery(accountOf(id));
  const [shown, setShown] = useState('');
  const [isOpen, setOpen] = useState(false);
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
  // The list may change while the sheet is open.
  const [log] = useLastShown(query.data?.results.find((one) => one.id === shown));
  const columns = useMemo(
    () => [
      // Without the path, which the action implies.
      ...requestLogColumns.filter((one) => one.id !== 'details'),
      ...column.columns([
        column.display({
          id: 'reveal',
          header: 'Actions',
          meta: { isAction: true, align: 'right', width: '6rem' },
          cell: ({ row: { original } }) =>
            original.otp?.recipient
              ? button(original.id, `${original.otp.recipient}, ${fullDateTime(original.created_at)}`)
              : null,
        }),
      ]),
    ],
    [button],
  );
  return (
    <>
      <Tabs
        className="mb-3.5"
        value={list.search.mode}
        onChange={(mode) => list.change({ mode: mode as ListMode })}
      >
        <Tabs.List aria-label="Mode">
          <Tabs.Tab value="live">Live</Tabs.Tab>
          <Tabs.Tab value="test">Test</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <ListScreen
        label="Requests"
        noun="requests"
        placeholder="Ids, keys, or a full recipient..."
        filters={
          <>
            <PeriodFilter list={list} options={periods} />
            <FilterSelect list={list} name="status_code" label="Status code" options={statusCodeChoices} />
            <KeyFilter list={list} all={account && [...account.api_keys, ...account.connections]} />
          </>
        }
        moreFilters={{ render: () => <MoreFilters list={list} />, isSet: hasRoute(list.search) }}
        list={list}
        query={query}
        counting={requestCount(id, list.search)}
        columns={columns}
        columnsWidth={940}
        compact={compactRequestLog}
        rowId={(log) => log.id}
        note={repeatsNote}
        onOpen={(log) => {
          setShown(log.id);
          setOpen(true);
        }}
        failure="Failed to load the requests"
        empty={{
          icon: <IconListDetails size={24} />,
          title: 'No requests',
          action: <ShowAllTime list={list} />,
          text: 'No requests were made with this account’s API keys in this period.',
          noMatch:
            'No request matches the search and the filters. Recipients are found only by the full number or address.',
        }}
      />
      <SideSheet opened={isOpen} onClose={() => setOpen(false)} title="Request Details" size="38rem">
        {log ? (
          <RequestDetails
            log={log}
            reveal={log.otp?.recipient ? button(log.id) : null}
            keys={account?.api_keys}
            toProtection={
              <PageLink to="/operator/accounts/$id/blocks" params={{ id }}>
                Blocks
              </PageLink>
            }
            toVerification={(otp_id) => (
              <PageLink
                to="/operator/accounts/$id/verifications"
                params={{ id }}
                search={{ search: otp_id, days: 'all', ...(log.test && { mode: 'test' as const }) }}
              >
                View History
              </PageLink>
            )}
          />
        ) : null}
      </SideSheet>
      {dialog}
    </>
  );
}
