import { revealAttempt } from '@sixdigit/contract/operator/account-data.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { Webhook, WebhookDelivery } from '@sixdigit/contract/webhooks.ts';
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
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime, rowDateTime } from '../../ui/dates.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { RecipientText } from '../../ui/RecipientText.tsx';
import { Time } from '../../ui/Time.tsx';
import {
  AttemptList,
  attemptsText,
  DeliveryState,
  Exchange,
  NoAttempts,
} from '../../webhooks/AttemptList.tsx';
import { accountOf } from '../operator.ts';
import { CellText, Note } from '../Rows.tsx';
import { messageSearch } from '../searches.ts';
import { messagePage } from './data.ts';
import { ResendMessage } from './Resend.tsx';
import { type Reveal, useReveal } from './useReveal.tsx';
import { Copyable } from './VerificationSheet.tsx';

interface Props {
  /** kept until the sheet has closed */
  message: WebhookDelivery | undefined;
  isOpen: boolean;
  onClose: () => void;
  revealed: Reveal<Reply<typeof revealAttempt>>;
  resend: ReactNode;
}

/** One message with its attempts. Their requests and responses are hidden at first, because they can contain recipients. */
const MessageSheet = ({ message, isOpen, onClose, revealed, resend }: Props) => (
  <SideSheet opened={isOpen} onClose={onClose} title="Message Details" size="38rem">
    {message ? (
      <div className="grid grid-cols-1 gap-4 [&>dl]:mb-0">
        {resend ? <div>{resend}</div> : null}
        <Facts nameWidth="7rem">
          <Fact name="Event">{message.event_type}</Fact>
          <Fact name="Created">{fullDateTime(message.created_at)}</Fact>
          <Fact name="State">
            <DeliveryState state={message.state} />
          </Fact>
          {message.recipient ? (
            <Fact name="Recipient">
              <RecipientText recipient={message.recipient} isWhole />
            </Fact>
          ) : null}
          {message.next_attempt_at ? (
            <Fact name="Next attempt">{fullDateTime(message.next_attempt_at)}</Fact>
          ) : null}
          <Fact name="Message ID">
            <Copyable value={message.id} name="message ID" />
          </Fact>
          {message.otp_id ? (
            <Fact name="OTP ID">
              <Copyable value={message.otp_id} name="OTP ID" />
            </Fact>
          ) : null}
        </Facts>
        <Attempts key={message.id} message={message} revealed={revealed} />
      </div>
    ) : null}
  </SideSheet>
);

function Attempts({ message, revealed }: { message: WebhookDelivery; revealed: Props['revealed'] }) {
  // The newest attempt, until another one is chosen.
  const [chosen, setChosen] = useState<string>();
  const shown = message.attempts.find(({ id }) => id === chosen) ?? message.attempts[0];
  if (!shown) return <NoAttempts state={message.state} />;
  const exchange = revealed.revealed[shown.id];
  return (
    <div className="grid grid-cols-1 gap-3">
      <AttemptList delivery={message} shown={shown} onShow={setChosen} rest="" />
      {exchange ? (
        <Exchange attempt={shown} exchange={exchange} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-10 border border-dashed border-border px-3.5 py-2.5">
          <Note>The request and the response can contain recipients.</Note>
          {revealed.button(shown.id, `attempt ${shown.attempt}`)}
        </div>
      )}
    </div>
  );
}

/** The messages to the account's webhook endpoints. */
export function AccountWebhooks() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const { data: account } = useQuery(accountOf(id));
  const webhooks = account && failingFirst(account.webhooks);
  if (webhooks?.length === 0)
    return (
      <EmptyState icon={<IconWebhook size={24} />} title="No webhooks">
        This account has no webhook endpoints.
      </EmptyState>
    );
  // The key replaces the skeleton of the list, which chose no endpoint.
  return <Messages key={String(webhooks === undefined)} id={id} webhooks={webhooks} />;
}

/** Support opens this view to find out why webhooks fail. */
const failingFirst = (webhooks: readonly Webhook[]): Webhook[] =>
  webhooks.toSorted((one, other) => other.consecutive_failures - one.consecutive_failures);

const states = [
  { value: 'all', label: 'All Messages' },
  { value: 'true', label: 'Failing' },
  { value: 'false', label: 'Not failing' },
] as const;

const WAITING = [{ id: '', name: 'Loading...' }];

/** A skeleton until the webhooks are known. */
function Messages({ id, webhooks }: { id: string; webhooks: readonly Webhook[] | undefined }) {
  const list = useList(messageSearch);
  // Another endpoint may fail meanwhile.
  const [byDefault] = useState(webhooks?.[0]?.id ?? '');
  const webhook_id = list.search.webhook || byDefault;
  const query = useQuery({ ...messagePage(id, webhook_id, list.search), enabled: webhook_id !== '' });
  const [opened, setOpened] = useState<WebhookDelivery>();
  const [isOpen, setOpen] = useState(false);
  // As it is now, while the page still contains it.
  const shown = query.data?.results.find((message) => message.id === opened?.id) ?? opened;
  const revealed = useReveal<Reply<typeof revealAttempt>>({
    title: 'Reveal Attempt',
    schema: revealAttempt.body,
    success: 'Attempt revealed',
    run: (attempt_id, body) => call(revealAttempt, { params: { id, webhook_id, attempt_id }, body }),
  });
  const endpoints = useMemo(
    () =>
      (webhooks ?? WAITING).map(({ id: value, name }) => ({
        value: value === byDefault ? '' : value,
        label: name,
      })),
    [webhooks, byDefault],
  );
  return (
    <>
      <ListScreen
        inert={webhooks === undefined}
        label="Webhook messages"
        noun="message(s)"
        placeholder="Search events, recipients, or ids..."
        filters={
          <>
            <FilterSelect list={list} name="webhook" label="Endpoint" options={endpoints} />
            <FilterSelect list={list} name="failing" label="State" options={states} />
          </>
        }
        isPart
        list={list}
        query={query}
        columns={messageColumns}
        compact={compactMessage}
        rowId={(message) => message.id}
        onOpen={(message) => {
          setOpened(message);
          setOpen(true);
        }}
        failure="Failed to load the messages"
        empty={{
          icon: <IconWebhook size={24} />,
          title: 'No messages',
          text: 'No messages were sent to this endpoint in the last 30 days.',
          noMatch: 'No message matches the search and the filters.',
        }}
      />
      <MessageSheet
        message={shown}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        revealed={revealed}
        resend={
          shown && shown.event_type !== 'webhook.test' ? (
            <ResendMessage account_id={id} webhook_id={webhook_id} message_id={shown.id} />
          ) : null
        }
      />
      {revealed.dialog}
    </>
  );
}

/** Why a message was not delivered. */
const errorOf = ({ state, attempts: [last] }: WebhookDelivery): string | null =>
  state !== 'delivered' && last ? last.error : null;

/** On phones, why a message fails takes the room of its recipient. */
const compactMessage = (message: WebhookDelivery): Compact => ({
  title: message.event_type,
  badge: (
    <>
      <span className="text-13 text-ink-soft">{attemptsText(message.attempt_count)}</span>
      <DeliveryState state={message.state} />
    </>
  ),
  details: [rowDateTime(message.created_at), errorOf(message) ?? message.recipient],
  more: [errorOf(message) && message.recipient],
});

const column = columnsOf<WebhookDelivery>();

const messageColumns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('event_type', {
    header: 'Event',
    cell: ({ row: { original } }) => (
      <CellText>
        {original.event_type}
        {errorOf(original) ? <small>{errorOf(original)}</small> : null}
      </CellText>
    ),
  }),
  column.accessor('recipient', { header: 'Recipient', cell: ({ getValue }) => getValue() ?? '–' }),
  column.accessor('attempt_count', { header: 'Attempts', meta: { align: 'right', width: '6.5rem' } }),
  column.accessor('attempts', {
    header: 'Response',
    meta: { align: 'right', width: '7rem' },
    cell: ({ getValue }) => {
      const [last] = getValue();
      return last ? (last.response_status ?? 'None') : '–';
    },
  }),
  column.accessor('state', {
    header: 'State',
    meta: { width: '8rem' },
    cell: ({ getValue }) => <DeliveryState state={getValue()} />,
  }),
]);
