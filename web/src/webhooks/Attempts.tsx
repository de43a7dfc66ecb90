import { Button, NativeSelect } from '@mantine/core';
import type { Reply } from '@sixdigit/contract/route.ts';
import {
  listWebhooks,
  REPLAY_MOST,
  replayFailedWebhooks,
  replayWebhookMessage,
  type Webhook,
  type WebhookAttempt,
} from '@sixdigit/contract/webhooks.ts';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { ExportButton, ExportStatus, useExport } from '../table/ExportButton.tsx';
import { Pager } from '../table/Pager.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { SideSheet } from '../ui/Dialog.tsx';
import { LoadingLines, QueryError } from '../ui/Loaded.tsx';
import { Switch } from '../ui/Switch.ts';
import { Attempt } from './Attempt.tsx';
import { type AttemptFilter, attemptExport, attemptPage, webhookQueue } from './attempts.ts';
import { SwitchedOff } from './SwitchedOff.tsx';
import classes from './Webhooks.module.css';

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
  // Nothing to filter, export or replay.
  const hasNone = page?.count === 0 && !filter.failedOnly;
  const { start, progress } = useExport(attemptExport(id, filter.failedOnly), page ?? { count: 0 });
  return (
    <div className="grid grid-cols-1 gap-4">
      {webhook ? <SwitchedOff webhook={webhook} /> : null}
      {hasNone ? null : (
        <>
          <div className="flex items-center justify-between gap-3">
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
            className={`${classes.attempts} m-0 grid list-none grid-cols-1 gap-2.5 p-0`}
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
  <p className="m-0 rounded-10 border border-dashed border-border px-4 py-6 text-center text-14 text-ink-soft">
    {failedOnly
      ? 'No message from the last 30 days has failed permanently or is waiting for a retry.'
      : 'Nothing has been sent here yet. To send a message now, click Test Webhook in the endpoint’s statistics.'}
  </p>
);

const HOUR_MS = 3_600_000;
const periods = [
  { value: '1', label: 'Failed in the last hour' },
  { value: '24', label: 'Failed in the last 24 hours' },
  { value: '168', label: 'Failed in the last 7 days' },
  { value: '720', label: 'Failed in the last 30 days' },
];

type Replayed = Reply<typeof replayFailedWebhooks>;

/** Replays a period's failed messages and shows how many are still waiting. */
function ReplayFailed({ id }: { id: string }) {
  const [hours, setHours] = useState('24');
  const [queued, setQueued] = useState<number>();
  const { data: queue } = useQuery(webhookQueue(id, queued !== undefined && queued > 0));
  const replay = useAction({
    run: () =>
      call(replayFailedWebhooks, {
        params: { id },
        body: { since: new Date(nowMs() - Number(hours) * HOUR_MS).toISOString() },
      }),
    failure: 'Failed to replay the messages',
    refresh: [listWebhooks],
    done: (result: Replayed) => setQueued(result.queued),
  });
  const waiting = queue?.waiting ?? queued ?? 0;
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap gap-2.5">
        <NativeSelect
          className={classes.period ?? ''}
          aria-label="What to replay"
          value={hours}
          data={periods}
          onChange={(event) => {
            setHours(event.currentTarget.value);
            setQueued(undefined);
          }}
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          {...busyButton(replay.isPending)}
          onClick={() => {
            if (!replay.isPending) replay.mutate();
          }}
        >
          Replay All Failed
        </Button>
      </div>
      <p className={`${classes.replayed} m-0 text-13 text-ink-soft`} role="status">
        {queued === undefined
          ? ''
          : queued === 0
            ? 'No failed messages from this period are left to replay.'
            : waiting > 0
              ? `${queued.toLocaleString('en-US')} queued, ${waiting.toLocaleString('en-US')} still waiting.`
              : `${queued.toLocaleString('en-US')} delivered again.`}
        {replay.data?.has_more
          ? ` More than ${REPLAY_MOST.toLocaleString('en-US')} failed: replay again for the rest.`
          : ''}
      </p>
    </div>
  );
}
