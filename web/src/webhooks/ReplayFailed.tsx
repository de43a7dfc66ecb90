import { Button, NativeSelect } from '@mantine/core';
import type { Reply } from '@sixdigit/contract/route.ts';
import { listWebhooks, REPLAY_MOST, replayFailedWebhooks } from '@sixdigit/contract/webhooks.ts';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { busyButton } from '../ui/busy-button.ts';
import { webhookQueue } from './attempts.ts';

const HOUR_MS = 3_600_000;
const periods = [
  { value: '1', label: 'Failed in the last hour' },
  { value: '24', label: 'Failed in the last 24 hours' },
  { value: '168', label: 'Failed in the last 7 days' },
  { value: '720', label: 'Failed in the last 30 days' },
];

type Replayed = Reply<typeof replayFailedWebhooks>;

/** Delivers again what failed in a period, and shows how much of it still waits. */
export function ReplayFailed({ id }: { id: string }) {
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
          className="flex-[1_1_12.5rem]"
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
      <p className="m-0 text-13 text-ink-soft empty:hidden" role="status">
        {queued === undefined
          ? ''
          : queued === 0
            ? 'No failed message of this period is left to replay.'
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
