import { IconListDetails } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { ownTarget, sendCurl } from '../api/curl.ts';
import { ApiKeyFilter } from '../api-keys/ApiKeyFilter.tsx';
import { hasRoute } from '../otp/route-filters.ts';
import { pages } from '../pages.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { ModeSwitch } from '../table/ModeSwitch.tsx';
import { PeriodFilter } from '../table/PeriodFilter.tsx';
import { ShowAllTime } from '../table/ShowAllTime.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { compactRequestLog, repeatsNote, requestLogColumns } from './columns.tsx';
import {
  periods,
  requestLogCount,
  requestLogExport,
  requestLogPage,
  requestLogSearch,
  statusCodeChoices,
} from './request-logs.ts';

const RequestLogSheet = lazyDialog(async () => (await import('./RequestLogSheet.tsx')).RequestLogSheet);
const MoreFilters = lazy(async () => ({ default: (await import('../otp/MoreFilters.tsx')).MoreFilters }));

/** All requests with the account's API keys, including refused ones. */
export function RequestLogs() {
  const list = useList(requestLogSearch);
  const query = useQuery(requestLogPage(list.search));
  const { data: user } = useQuery(currentUser);
  const may = useMay();
  const { opened, open, close } = useOpened('request');

  return (
    <>
      <PageHeading
        title={pages.logs.title}
        actions={<ModeSwitch mode={list.search.mode} onChange={(mode) => list.change({ mode })} />}
      >
        Every request made with your API keys, including those that were refused.
      </PageHeading>
      <ListScreen
        label="Requests"
        noun="requests"
        placeholder="Search logs, endpoints, or API keys..."
        filters={
          <>
            <PeriodFilter list={list} options={periods} />
            <FilterSelect list={list} name="status_code" label="Status code" options={statusCodeChoices} />
            <ApiKeyFilter list={list} />
          </>
        }
        moreFilters={{ render: () => <MoreFilters list={list} />, isSet: hasRoute(list.search) }}
        list={list}
        query={query}
        counting={requestLogCount(list.search)}
        columns={requestLogColumns}
        exporting={requestLogExport(list.search)}
        isLive
        columnsWidth={960}
        compact={compactRequestLog}
        rowId={(log) => log.id}
        note={repeatsNote}
        onOpen={(log) => open(log.request_id)}
        failure="Failed to fetch OTP requests"
        empty={{
          icon: <IconListDetails size={24} />,
          title: 'No requests yet',
          action: (
            <>
              {may('createApiKey') ? (
                <ButtonLink to="/api-keys" search={{ dialog: 'create' }}>
                  Create API Key
                </ButtonLink>
              ) : null}
              <ShowAllTime list={list} />
            </>
          ),
          snippet: <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} language="bash" />,
          text: 'Create a key, put it in place of $API_KEY, and run the command below. Your request appears here.',
          noMatchTitle: 'No requests yet',
          noMatch: 'No requests match the current filters. Try adjusting the search or the filters.',
        }}
      />
      <RequestLogSheet
        opened={opened !== undefined}
        requestId={opened}
        list={{ search: list.search, page: query.data }}
        onClose={close}
      />
    </>
  );
}
