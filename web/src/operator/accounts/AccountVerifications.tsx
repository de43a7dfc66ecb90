import { revealTestMessage } from '@sixdigit/contract/operator/account-data.ts';
import { type OperatorVerification, revealVerification } from '@sixdigit/contract/operator/accounts.ts';
import { TEST_INBOX_DAYS, type TestMessage } from '@sixdigit/contract/test-mode.ts';
import { IconInbox, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { KeyFilter } from '../../api-keys/ApiKeyFilter.tsx';
import { compactVerification, verificationColumns } from '../../otp/columns.tsx';
import { MessageCard } from '../../otp/MessageCard.tsx';
import { MoreFilters } from '../../otp/MoreFilters.tsx';
import { hasRoute } from '../../otp/route-filters.ts';
import { Inbox } from '../../otp/TestInbox.tsx';
import { periods, statusChoices, verificationSearch } from '../../otp/verifications.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { type List, useList } from '../../table/list.ts';
import { PeriodFilter } from '../../table/PeriodFilter.tsx';
import { ShowAllTime } from '../../table/ShowAllTime.tsx';
import { StatusBadge } from '../../ui/Badge.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Tabs } from '../../ui/Tabs.ts';
import { accountOf } from '../operator.ts';
import { testMessagePage, verificationCount, verificationPage } from './data.ts';
import { useReveal } from './useReveal.tsx';
import { type RevealedVerification, VerificationSheet } from './VerificationSheet.tsx';

const column = columnsOf<OperatorVerification>();

/** Names a row's button: one recipient may have several rows. */
const nameOf = ({ recipient, created_at }: { recipient: string; created_at: string }): string =>
  `${recipient}, ${fullDateTime(created_at)}`;

/** The account's verifications and test inbox. A recipient is masked until the operator gives a reason to reveal it. */
export function AccountVerifications() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const list = useList(verificationSearch);
  const { mode, view } = list.search;
  const shown = mode === 'live' ? 'live' : view === 'inbox' ? 'inbox' : 'test';
  return (
    <>
      <Tabs className="mb-3.5" value={shown} onChange={(next) => list.change(VIEWS[next as View].search)}>
        <Tabs.List aria-label="Mode">
          {Object.entries(VIEWS).map(([name, { label }]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {shown === 'inbox' ? <AccountTestInbox id={id} list={list} /> : <Listed id={id} />}
    </>
  );
}

const VIEWS = {
  live: { label: 'Live', search: { mode: 'live', view: 'list' } },
  test: { label: 'Test', search: { mode: 'test', view: 'list' } },
  inbox: { label: 'Test inbox', search: { mode: 'test', view: 'inbox' } },
} as const;
type View = keyof typeof VIEWS;

function Listed({ id }: { id: string }) {
  const list = useList(verificationSearch);
  const { data: account } = useQuery(accountOf(id));
  const [shown, setShown] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { revealed, button, dialog } = useReveal<RevealedVerification>({
    title: 'Reveal Recipient',
    schema: revealVerification.body,
    success: 'Recipient revealed',
    run: (otp_id, body) => call(revealVerification, { params: { id, otp_id }, body }),
  });
  const query = useQuery({
    ...verificationPage(id, list.search),
    select: ({ results, ...page }) => ({
      ...page,
      results: results.map((one) => ({ ...one, recipient: revealed[one.id]?.recipient ?? one.recipient })),
    }),
  });
  const open = useCallback((otp_id: string): void => {
    setShown(otp_id);
    setOpen(true);
  }, []);
  const { columns, compact } = useMemo(
    () => ({
      columns: [
        ...verificationColumns(open).filter(({ id: name }) => name !== 'history'),
        ...column.columns([
          column.display({
            id: 'reveal',
            header: 'Actions',
            meta: { isAction: true, align: 'right', width: '6rem' },
            cell: ({ row: { original } }) => button(original.id, nameOf(original)),
          }),
        ]),
      ],
      compact: (one: OperatorVerification): Compact => {
        const { details, ...shown } = compactVerification(one);
        // On phones, the button takes the room of the key's name.
        return {
          ...shown,
          details: details.slice(0, 2),
          more: details.slice(2),
          action: button(one.id, nameOf(one)),
        };
      },
    }),
    [button, open],
  );
  return (
    <>
      <ListScreen
        label="Verifications"
        noun="OTP(s)"
        placeholder="Ids, keys, or a full recipient..."
        filters={
          <>
            <PeriodFilter list={list} options={periods} />
            <FilterSelect list={list} name="status" label="Status" options={statusChoices} />
            <KeyFilter list={list} all={account && [...account.api_keys, ...account.connections]} />
          </>
        }
        moreFilters={{ render: () => <MoreFilters list={list} />, isSet: hasRoute(list.search) }}
        list={list}
        query={query}
        counting={verificationCount(id, list.search)}
        columns={columns}
        compact={compact}
        rowId={(verification) => verification.id}
        onOpen={({ id: otp_id }) => open(otp_id)}
        failure="Failed to load OTP verifications"
        empty={{
          icon: <IconShieldCheck size={24} />,
          title: 'No verifications',
          action: <ShowAllTime list={list} />,
          text: 'This account sent no codes in this period.',
          noMatch:
            'No verification matches the search and the filters. Recipients are found only by the full number or address.',
        }}
      />
      <VerificationSheet
        account_id={id}
        otp_id={shown}
        revealed={revealed[shown]}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action={button(shown)}
      />
      {dialog}
    </>
  );
}

interface Props {
  id: string;
  list: List<typeof verificationSearch.defaults>;
}

/** The account's test inbox. Recipients and texts are hidden until the operator reveals a message. */
function AccountTestInbox({ id, list }: Props) {
  const { page, search } = list.search;
  const query = useQuery(testMessagePage(id, { page, search }));
  const { revealed, button, dialog } = useReveal<TestMessage>({
    title: 'Reveal Message',
    schema: revealTestMessage.body,
    success: 'Message revealed',
    run: (otp_id, body) => call(revealTestMessage, { params: { id, otp_id }, body }),
  });
  return (
    <>
      <Inbox
        list={list}
        query={query}
        placeholder="Search by full recipient..."
        lead={`Messages from test keys in the last ${TEST_INBOX_DAYS} days. None of them left the service. Texts are hidden until you reveal them.`}
        nothing={
          <EmptyState
            icon={<IconInbox size={24} />}
            title={search === '' ? 'No test messages' : 'No messages for this recipient'}
          >
            {search === ''
              ? 'This account sent no messages with its test keys in this period.'
              : 'Recipients are masked, so enter the full number or address.'}
          </EmptyState>
        }
        show={(message) => (
          <MessageCard
            message={
              revealed[message.id] ?? { ...message, code: null, subject: null, text: null, html: null }
            }
            foot={
              <>
                <StatusBadge status={message.status} />
                {button(message.id, nameOf(message))}
              </>
            }
          />
        )}
      />
      {dialog}
    </>
  );
}
