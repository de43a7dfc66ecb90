import { Switch } from '@mantine/core';
import {
  listWebhooks,
  replayWebhookMessage,
  type Webhook,
  type WebhookAttempt,
} from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { ExportButton, ExportStatus, useExport } from '../table/ExportButton.tsx';
import { Pager } from '../table/Pager.tsx';
import { SideSheet } from '../ui/Dialog.tsx';
import { LoadingLines, QueryError } from '../ui/Loaded.tsx';
import { Attempt } from './Attempt.tsx';
import classes from './Attempts.module.css';
import { type AttemptFilter, attemptExport, attemptPage } from './attempts.ts';
import { ReplayFailed } from './ReplayFailed.tsx';
import { SwitchedOff } from './SwitchedOff.tsx';

interface Props {
  /** id of the endpoint; the dialog is open while set */
  id: string | undefined;
  /** the endpoint's row in the list */
  webhook: Webhook | undefined;
  onClose: () => void;
}

/** The delivery attempts of an endpoint in the last 30 days. */
export const Attempts = ({ id, webhook, onClose }: Props) => (
  <SideSheet
    opened={id !== undefined}
    onClose={onClose}
    title="Delivery Attempts"
    description={webhook ? `${webhook.name} · ${webhook.url}` : 'The last 30 days'}
    size="34rem"
  >
    {id ? <Log key={id} id={id} webhook={webhook} /> : null}
  </SideSheet>
);

function Log({ id, webhook }: { id: string; webhook: Webhook | undefined }) {
  const [filter, setFilter] = useState<AttemptFilter>({ page: 1, failedOnly: false });
  const query = useQuery(attemptPage(id, filter));
  const replay = useAction({
    run: (attempt: WebhookAttempt) =>
      call(replayWebhookMessage, { params: { id, message_id: attempt.message_id } }),
    success: 'Message queued for another delivery',
    failure: 'Failed to replay the message',
    refresh: [listWebhooks],
    // The new attempt appears first in the list.
    done: () => setFilter((before) => ({ ...before, page: 1 })),
  });
  const page = query.data;
  // Nothing to filter, to export or to replay.
  const hasNone = page?.count === 0 && !filter.failedOnly;
  const { start, progress } = useExport(attemptExport(id, filter.failedOnly), page ?? { count: 0 });
  return (
    <div className={classes.log}>
      {webhook ? <SwitchedOff webhook={webhook} /> : null}
      {hasNone ? null : (
        <>
          <div className={classes.tools}>
            <Switch
              label="Failed only"
              checked={filter.failedOnly}
              onChange={(event) => setFilter({ page: 1, failedOnly: event.currentTarget.checked })}
            />
            {page && page.count > 0 ? <ExportButton isBusy={progress !== undefined} onStart={start} /> : null}
          </div>
          <ReplayFailed id={id} />
        </>
      )}
      {progress ? <ExportStatus progress={progress} /> : null}
      {page ? (
        <>
          <ol
            className={classes.attempts}
            aria-label="Attempts"
            data-stale={query.isPlaceholderData || undefined}
          >
            {page.results.map((attempt) => (
              <Attempt
                key={attempt.id}
                attempt={attempt}
                endpointId={id}
                isBusy={replay.isPending && replay.variables.id === attempt.id}
                onReplay={() => replay.mutate(attempt)}
              />
            ))}
          </ol>
          {page.count === 0 ? (
            <Nothing failedOnly={filter.failedOnly} />
          ) : (
            <Pager
              page={filter.page}
              count={page.count}
              noun="attempt(s)"
              isFiltered={filter.failedOnly}
              onTurn={(to) => setFilter((before) => ({ ...before, page: to }))}
            />
          )}
        </>
      ) : query.isError ? (
        <QueryError
          query={query}
          title="Error loading attempts"
          message="Failed to load the attempts of this endpoint"
        />
      ) : (
        <LoadingLines />
      )}
    </div>
  );
}

const Nothing = ({ failedOnly }: { failedOnly: boolean }) => (
  <p className={classes.nothing}>
    {failedOnly
      ? 'No message of the last 30 days failed for good or waits for another try.'
      : 'Nothing has been sent here yet. To send a message now, press Test Webhook in the statistics of the endpoint.'}
  </p>
);
