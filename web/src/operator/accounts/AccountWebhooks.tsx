import { type OperatorAttempt, revealAttempt } from '@sixdigit/contract/operator/account-data.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { accountOf } from '../operator.ts';
import { attemptSearch } from '../searches.ts';
import { AttemptSheet } from './AttemptSheet.tsx';
import { attemptColumns, compactAttempt } from './attempt-columns.tsx';
import { attemptPage } from './data.ts';
import { ResendMessage } from './Resend.tsx';
import { useReveal } from './useReveal.tsx';

const nothing = (title: string, text: string) => (
  <EmptyState icon={<IconWebhook size={24} />} title={title}>
    {text}
  </EmptyState>
);

/** The delivery attempts to the webhook endpoints of an account. */
export function AccountWebhooks() {
  const { id } = useParams({ from: '/_app/operator/accounts_/$id' });
  const query = useQuery(accountOf(id));
  return (
    <Loaded query={query} failure="Failed to load the webhooks" waiting={<PanelSkeletons lines={[4]} />}>
      {({ webhooks }) =>
        webhooks[0] ? (
          <Attempts id={id} webhooks={webhooks} first={webhooks[0]} />
        ) : (
          nothing('No webhooks', 'This account has no webhook endpoints.')
        )
      }
    </Loaded>
  );
}

const outcomes = [
  { value: 'all', label: 'All attempts' },
  { value: 'false', label: 'Failed' },
  { value: 'true', label: 'Delivered' },
] as const;

function Attempts({ id, webhooks, first }: { id: string; webhooks: readonly Webhook[]; first: Webhook }) {
  const list = useList(attemptSearch);
  const webhook_id = list.search.webhook || first.id;
  const query = useQuery(attemptPage(id, webhook_id, list.search));
  const [shown, setShown] = useState<OperatorAttempt>();
  const [isOpen, setOpen] = useState(false);
  const { revealed, button, dialog } = useReveal<Reply<typeof revealAttempt>>({
    title: 'Reveal attempt',
    schema: revealAttempt.body,
    success: 'Attempt revealed',
    run: (attempt_id, body) => call(revealAttempt, { params: { id, webhook_id, attempt_id }, body }),
  });
  const endpoints = useMemo(
    () => webhooks.map(({ id: value, name }, n) => ({ value: n === 0 ? '' : value, label: name })),
    [webhooks],
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
        error={{ title: 'Error loading data', message: 'Failed to load the attempts' }}
        empty={{
          icon: <IconWebhook size={24} />,
          title: 'No attempts',
          nothing: nothing('No attempts', 'Nothing was sent to this endpoint in the last 30 days.'),
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
