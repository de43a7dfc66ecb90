import { Button } from '@mantine/core';
import {
  exportWebhookAttempts,
  getWebhookQueue,
  listWebhookMessages,
  listWebhooks,
  REPLAY_MOST,
  replayFailedWebhooks,
  replayWebhookMessage,
  type Webhook,
  type WebhookDelivery,
} from '@sixdigit/contract/webhooks.ts';
import { IconChevronDown, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call, openStream } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { read, readPage } from '../api/read.ts';
import { ExportButton, useExport } from '../table/ExportButton.tsx';
import { ExportStatus } from '../table/ExportStatus.tsx';
import { Pager } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import { busyButton } from '../ui/busy-button.ts';
import { SideSheet } from '../ui/Dialog.tsx';
import { LoadingLines, QueryError } from '../ui/Loaded.tsx';
import { Menu } from '../ui/Menu.ts';
import { Switch } from '../ui/Switch.ts';
import { Delivery } from './Delivery.tsx';
import { isSwitchedOff, SwitchedOff } from './SwitchedOff.tsx';
import { TestWebhookButton, useTestWebhook } from './TestWebhook.tsx';
import classes from './Webhooks.module.css';

/** Refetch interval while the deliveries are open. */
const REFRESH_MS = 3_000;

interface DeliveryFilter {
  page: number;
  failedOnly: boolean;
}

const attemptExport = (id: string, failedOnly: boolean): Exporting => ({
  name: 'webhook-attempts',
  open: (signal) =>
    openStream(exportWebhookAttempts, {
      params: { id },
      query: failedOnly ? { delivered: 'false' } : {},
      signal,
    }),
});

/** Refetch interval during a replay. */
const QUEUE_MS = 1_500;

/** The number of messages waiting for an endpoint. */
const webhookQueue = (id: string, isWatched: boolean) =>
  read(getWebhookQueue, { params: { id } }, { enabled: isWatched, staleTime: 0, refetchInterval: QUEUE_MS });

/** The messages to one endpoint, newest first. They refetch on a timer. */
const deliveryPage = (id: string, { page, failedOnly }: DeliveryFilter) =>
  readPage(
    listWebhookMessages,
    { params: { id }, query: { page, ...(failedOnly && { failing: 'true' }) } },
    { refetchInterval: REFRESH_MS },
  );

interface Props {
  opened: boolean;
  /** of the endpoint; undefined while closed */
  id: string | undefined;
  /** the endpoint's row in the list */
  webhook: Webhook | undefined;
  onClose: () => void;
}

/** The messages to an endpoint in the last 30 days, with their delivery attempts. */
export const Deliveries = ({ opened, id, webhook, onClose }: Props) => (
  <SideSheet
    opened={opened}
    onClose={onClose}
    title="Deliveries"
    description={
      webhook ? (
        <>
          {webhook.name}
          <br />
          <span title={webhook.url}>{webhook.url}</span>
        </>
      ) : (
        'The last 30 days'
      )
    }
    size={webhook && isQuiet(webhook) ? '36rem' : '58rem'}
  >
    {id ? <Log key={id} id={id} webhook={webhook} /> : null}
  </SideSheet>
);

const DAY_MS = 86_400_000;

/** Whether there is nothing to show beside each other: no attempt in the days that the deliveries cover. */
const isQuiet = ({ last_sent_at }: Webhook): boolean =>
  last_sent_at === null || Date.parse(last_sent_at) < nowMs() - 30 * DAY_MS;

function Log({ id, webhook }: { id: string; webhook: Webhook | undefined }) {
  const [filter, setFilter] = useState<DeliveryFilter>({ page: 1, failedOnly: false });
  const query = useQuery(deliveryPage(id, filter));
  const replay = useAction({
    run: (message: WebhookDelivery) => call(replayWebhookMessage, { params: { id, message_id: message.id } }),
    success: 'Message queued for another delivery',
    failure: 'Failed to replay the message',
    refresh: [listWebhooks],
  });
  const replayAll = useReplayFailed(id);
  const test = useTestWebhook(id);
  const may = useMay();
  const page = query.data;
  // There may be nothing to filter, export or replay.
  const hasSome = page !== undefined && (page.count > 0 || filter.failedOnly);
  const isOff = webhook !== undefined && isSwitchedOff(webhook);
  const { start, progress } = useExport(attemptExport(id, filter.failedOnly), page ?? { count: 0 });
  return (
    <div className="grid grid-cols-1 gap-4">
      {webhook ? <SwitchedOff webhook={webhook} action={<TestWebhookButton test={test} />} /> : null}
      {hasSome ? (
        <>
          <div className={`${classes.tools} flex flex-wrap items-center gap-2.5`}>
            <Switch
              label="Failed only"
              checked={filter.failedOnly}
              onChange={(event) => setFilter({ page: 1, failedOnly: event.currentTarget.checked })}
            />
            <div className={`${classes.buttons} flex flex-wrap gap-2.5`}>
              {may('replayFailedWebhooks') ? <ReplayFailed replay={replayAll} /> : null}
              {isOff ? null : <TestWebhookButton test={test} />}
            </div>
            {page.count > 0 ? <ExportButton isBusy={progress !== undefined} onStart={start} /> : null}
          </div>
          <ReplayStatus id={id} replay={replayAll} />
        </>
      ) : null}
      {progress ? <ExportStatus progress={progress} /> : null}
      {page ? (
        <>
          <ol
            className={`${classes.messages} m-0 grid list-none grid-cols-1 gap-2.5 p-0`}
            aria-label="Messages"
            data-stale={query.isPlaceholderData || undefined}
          >
            {page.results.map((delivery) => (
              <Delivery
                key={delivery.id}
                delivery={delivery}
                endpointId={id}
                isBusy={replay.isPending && replay.variables.id === delivery.id}
                onReplay={() => replay.mutate(delivery)}
              />
            ))}
          </ol>
          {page.count === 0 ? (
            <Nothing
              failedOnly={filter.failedOnly}
              action={isOff ? null : <TestWebhookButton test={test} />}
            />
          ) : (
            <Pager
              page={filter.page}
              count={page.count}
              noun="message(s)"
              isFiltered={filter.failedOnly}
              hasTimes={false}
              onTurn={(to) => setFilter((before) => ({ ...before, page: to }))}
            />
          )}
        </>
      ) : query.isError ? (
        <QueryError query={query} message="Failed to load the deliveries of this endpoint" />
      ) : (
        <LoadingLines />
      )}
    </div>
  );
}

const Nothing = ({ failedOnly, action }: { failedOnly: boolean; action: ReactNode }) => (
  <div className="grid justify-items-center gap-4 rounded-10 border border-dashed border-border px-4 py-6 text-center text-14 text-ink-soft">
    <p className="m-0 text-balance">
      {failedOnly
        ? 'No message from the last 30 days is failing.'
        : 'Nothing was sent to this endpoint in the last 30 days.'}
    </p>
    {failedOnly ? null : action}
  </div>
);

const HOUR_MS = 3_600_000;
const periods = [
  { hours: 1, label: 'Failed in the last hour' },
  { hours: 24, label: 'Failed in the last 24 hours' },
  { hours: 168, label: 'Failed in the last 7 days' },
  { hours: 720, label: 'Failed in the last 30 days' },
];

/** Replays the failed messages of the last hours. */
const useReplayFailed = (id: string) =>
  useAction({
    run: (hours: number) =>
      call(replayFailedWebhooks, {
        params: { id },
        body: { since: new Date(nowMs() - hours * HOUR_MS).toISOString() },
      }),
    failure: 'Failed to replay the messages',
    refresh: [listWebhooks],
  });

type Replaying = ReturnType<typeof useReplayFailed>;

const ReplayFailed = ({ replay }: { replay: Replaying }) => (
  <Menu position="bottom-end" shadow="md" width={240}>
    <Menu.Target>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        rightSection={<IconChevronDown size={16} aria-hidden />}
        {...busyButton(replay.isPending)}
      >
        Replay All Failed
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {periods.map(({ hours, label }) => (
        <Menu.Item key={hours} disabled={replay.isPending} onClick={() => replay.mutate(hours)}>
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

/** How many of the replayed messages are still waiting. */
function ReplayStatus({ id, replay }: { id: string; replay: Replaying }) {
  const queued = replay.data?.queued;
  const { data: queue } = useQuery(webhookQueue(id, queued !== undefined && queued > 0));
  const waiting = queue?.waiting ?? queued ?? 0;
  return (
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
  );
}
