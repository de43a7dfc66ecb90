import { type OperatorAttempt, revealAttempt } from '@sixdigit/contract/operator/account-data.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime, shortDateTime } from '../../ui/dates.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { Time } from '../../ui/Time.tsx';
import { Facts, number } from '../Facts.tsx';
import { accountOf } from '../operator.ts';
import { CellText, Note } from '../Rows.tsx';
import { attemptSearch } from '../searches.ts';
import { attemptPage } from './data.ts';
import { ResendMessage } from './Resend.tsx';
import { useReveal } from './useReveal.tsx';

interface Props {
  /** kept until the sheet has closed */
  attempt: OperatorAttempt | undefined;
  revealed: Reply<typeof revealAttempt> | undefined;
  isOpen: boolean;
  onClose: () => void;
  /** reveals it */
  action: ReactNode;
  resend: ReactNode;
}

/** One delivery attempt. The request and response are hidden at first, because they can contain recipients. */
const AttemptSheet = ({ attempt, revealed, isOpen, onClose, action, resend }: Props) => (
  <SideSheet opened={isOpen} onClose={onClose} title={attempt?.event_type ?? ''} size="34rem">
    {attempt ? (
      <div className="grid grid-cols-1 gap-5">
        <Facts
          facts={{
            Date: fullDateTime(attempt.attempted_at),
            Attempt: number(attempt.attempt),
            Response: attempt.response_status ?? 'No response',
            Duration: `${number(attempt.duration_ms)} ms`,
            ...(attempt.error ? { Error: attempt.error } : {}),
            ...(attempt.next_attempt_at ? { 'Next retry': fullDateTime(attempt.next_attempt_at) } : {}),
            Message: <code>{attempt.message_id}</code>,
            ...(attempt.otp_id ? { Verification: <code>{attempt.otp_id}</code> } : {}),
          }}
        />
        {revealed ? (
          <>
            <CodeBlock label="Sent" code={revealed.body ?? 'The message has been removed.'} />
            <CodeBlock label="Response" code={revealed.response_excerpt || 'Empty'} />
          </>
        ) : (
          <div>
            <Note>The request and the response can contain recipients.</Note>
            {action}
          </div>
        )}
        {resend ? <div>{resend}</div> : null}
      </div>
    ) : null}
  </SideSheet>
);

/** The delivery attempts to the account's webhook endpoints. */
export function AccountWebhooks() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(accountOf(id));
  return (
    <Loaded query={query} failure="Failed to load the webhooks" waiting={<PanelSkeletons lines={[4]} />}>
      {({ webhooks: newestFirst }) => {
        const webhooks = failingFirst(newestFirst);
        return webhooks[0] ? (
          <Attempts id={id} webhooks={webhooks} first={webhooks[0]} />
        ) : (
          <EmptyState icon={<IconWebhook size={24} />} title="No webhooks">
            This account has no webhook endpoints.
          </EmptyState>
        );
      }}
    </Loaded>
  );
}

/** Support opens this view to find out why webhooks fail. */
const failingFirst = (webhooks: readonly Webhook[]): Webhook[] =>
  webhooks.toSorted((one, other) => other.consecutive_failures - one.consecutive_failures);

const outcomes = [
  { value: 'all', label: 'All attempts' },
  { value: 'false', label: 'Failed' },
  { value: 'true', label: 'Delivered' },
] as const;

function Attempts({ id, webhooks, first }: { id: string; webhooks: readonly Webhook[]; first: Webhook }) {
  const list = useList(attemptSearch);
  // Another endpoint may fail meanwhile.
  const [byDefault] = useState(first.id);
  const webhook_id = list.search.webhook || byDefault;
  const query = useQuery(attemptPage(id, webhook_id, list.search));
  const [shown, setShown] = useState<OperatorAttempt>();
  const [isOpen, setOpen] = useState(false);
  const { revealed, button, dialog } = useReveal<Reply<typeof revealAttempt>>({
    title: 'Reveal Attempt',
    schema: revealAttempt.body,
    success: 'Attempt revealed',
    run: (attempt_id, body) => call(revealAttempt, { params: { id, webhook_id, attempt_id }, body }),
  });
  const endpoints = useMemo(
    () => webhooks.map(({ id: value, name }) => ({ value: value === byDefault ? '' : value, label: name })),
    [webhooks, byDefault],
  );
  return (
    <>
      <ListScreen
        label="Webhook attempts"
        noun="attempt(s)"
        placeholder="Search events, errors, or ids..."
        filters={
          <>
            <FilterSelect list={list} name="webhook" label="Endpoint" options={endpoints} />
            <FilterSelect list={list} name="outcome" label="Outcome" options={outcomes} />
          </>
        }
        list={list}
        query={query}
        columns={attemptColumns}
        compact={compactAttempt}
        rowId={(attempt) => attempt.id}
        onOpen={(attempt) => {
          setShown(attempt);
          setOpen(true);
        }}
        failure="Failed to load the attempts"
        empty={{
          icon: <IconWebhook size={24} />,
          title: 'No attempts',
          text: 'Nothing was sent to this endpoint in the last 30 days.',
          noMatch: 'No attempt matches the search and the filters.',
        }}
      />
      <AttemptSheet
        attempt={shown}
        revealed={shown && revealed[shown.id]}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action={shown ? button(shown.id) : null}
        resend={
          shown && shown.event_type !== 'webhook.test' ? (
            <ResendMessage account_id={id} webhook_id={webhook_id} message_id={shown.message_id} />
          ) : null
        }
      />
      {dialog}
    </>
  );
}

const Outcome = ({ attempt: { succeeded, response_status } }: { attempt: OperatorAttempt }) => (
  <Badge tone={succeeded ? 'green' : 'red'}>{response_status ?? 'No response'}</Badge>
);

const compactAttempt = (attempt: OperatorAttempt): Compact => ({
  title: attempt.event_type,
  badge: <Outcome attempt={attempt} />,
  details: [
    shortDateTime(attempt.attempted_at),
    `Attempt ${attempt.attempt}`,
    `${number(attempt.duration_ms)} ms`,
    attempt.error,
  ],
});

const column = columnsOf<OperatorAttempt>();

const attemptColumns = column.columns([
  column.accessor('attempted_at', {
    header: 'Date',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('event_type', {
    header: 'Event',
    cell: ({ row: { original } }) => (
      <CellText>
        {original.event_type}
        {original.error ? <small>{original.error}</small> : null}
      </CellText>
    ),
  }),
  column.accessor('attempt', { header: 'Attempt', meta: { align: 'right', width: '6rem' } }),
  column.accessor('duration_ms', {
    header: 'Duration',
    meta: { align: 'right', width: '7rem' },
    cell: ({ getValue }) => `${number(getValue())} ms`,
  }),
  column.accessor('response_status', {
    header: 'Response',
    meta: { width: '8rem' },
    cell: ({ row: { original } }) => <Outcome attempt={original} />,
  }),
]);
