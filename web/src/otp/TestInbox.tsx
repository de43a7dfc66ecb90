import { listTestMessages, TEST_INBOX_DAYS } from '@sixdigit/contract/test-mode.ts';
import { IconInbox } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../api/list.ts';
import { readPage } from '../api/read.ts';
import type { List } from '../table/list.ts';
import { Pager } from '../table/Pager.tsx';
import { SearchBox } from '../table/SearchBox.tsx';
import { Toolbar } from '../table/Toolbar.tsx';
import { StatusBadge } from '../ui/Badge.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { hasFailed, Placeholder, QueryError } from '../ui/Loaded.tsx';
import { LoneLink } from '../ui/links.tsx';
import { PanelSkeletons } from '../ui/PanelSkeletons.tsx';
import { CreateTestKey } from './EmptyVerifications.tsx';
import { MessageCard } from './MessageCard.tsx';
import type { verificationSearch } from './verifications.ts';

interface Props {
  list: List<typeof verificationSearch.defaults>;
}

/** The messages of test sends, as their recipients would have received them. */
export function TestInbox({ list }: Props) {
  const { page, search } = list.search;
  const query = useQuery(testMessagePage({ page, search }));
  return (
    <Inbox
      list={list}
      query={query}
      placeholder="Search recipient..."
      lead={`Messages of the last ${TEST_INBOX_DAYS} days, as their recipients would have received them.`}
      nothing={<Nothing search={search} />}
      show={(message) => (
        <MessageCard
          message={message}
          foot={
            <>
              <StatusBadge status={message.status} />
              <LoneLink
                to="/"
                search={{ mode: 'test', view: 'inbox', otp: message.id }}
                aria-label={`View History of ${message.recipient}, ${fullDateTime(message.created_at)}`}
              >
                View History
              </LoneLink>
            </>
          }
        />
      )}
    />
  );
}

interface InboxProps<M> extends Props {
  /** beside the search */
  actions?: ReactNode;
  query: UseQueryResult<Page<M>>;
  placeholder: string;
  lead: string;
  nothing: ReactNode;
  show: (message: M) => ReactNode;
}

/** A page of any account's test messages. */
export function Inbox<M extends { id: string }>(props: InboxProps<M>) {
  const { list, query, actions, placeholder, lead, nothing, show } = props;
  const { page, search } = list.search;
  const isLost = hasFailed(query);
  return (
    <section aria-label="Test inbox">
      <p className="mt-0 mb-4 text-ink-soft">{lead}</p>
      <Toolbar search={<SearchBox list={list} placeholder={placeholder} />} tools={actions} />
      {isLost ? <QueryError query={query} message="Failed to load the test inbox" /> : null}
      {!query.data && !isLost ? (
        <Placeholder>
          <div className="grid grid-cols-1 gap-3">
            <PanelSkeletons lines={[2, 2, 2]} />
          </div>
        </Placeholder>
      ) : null}
      {query.data?.count === 0 ? nothing : null}
      {query.data && query.data.count > 0 ? (
        <>
          <ol
            className="m-0 grid list-none grid-cols-1 gap-3 p-0"
            aria-live="polite"
            aria-relevant="additions"
          >
            {query.data.results.map((message) => (
              <li key={message.id}>{show(message)}</li>
            ))}
          </ol>
          <Pager
            page={page}
            count={query.data.count}
            noun="message(s)"
            hasTimes={false}
            isFiltered={search !== ''}
            onTurn={(to) => list.change({ page: to })}
            isFramed={false}
          />
        </>
      ) : null}
    </section>
  );
}

const Nothing = ({ search }: { search: string }) =>
  search === '' ? (
    <EmptyState icon={<IconInbox size={24} />} title="No test messages yet" action={<CreateTestKey />}>
      Send with a test key, which begins with sd_test_. The message appears here and is not delivered.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconInbox size={24} />} title="No messages for this recipient">
      Change the search to see other messages.
    </EmptyState>
  );

const REFETCH_MS = 3_000;

/** One page of the test inbox, newest first. */
const testMessagePage = ({ page, search }: { page: number; search: string }) =>
  readPage(listTestMessages, { query: { page, search } }, { refetchInterval: REFETCH_MS });
