import { EVENTS, type Webhook } from '@sixdigit/contract/webhooks.ts';
import { lazy, Suspense } from 'react';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { Badge } from '../ui/Badge.tsx';
import { countOf } from '../ui/numbers.ts';
import { switchedOffBriefly } from './SwitchedOff.tsx';
import classes from './Webhooks.module.css';
import type { Choose } from './webhooks.ts';
import { eventsOf } from './webhooks.ts';

const column = columnsOf<Webhook>();

export const compactWebhook =
  (onChoose: Choose) =>
  (webhook: Webhook): Compact => ({
    title: webhook.name,
    badge: <ActiveBadge webhook={webhook} />,
    details: [
      webhook.url.replace(/^https?:\/\//, ''),
      troubleOf(webhook) ? <Trouble key="trouble" webhook={webhook} /> : eventsNote(webhook),
    ],
    // The end of an address tells endpoints of one host apart.
    isFirstCut: true,
    action: <Actions webhook={webhook} onChoose={onChoose} />,
  });

export const webhookColumns = (onChoose: Choose) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      meta: { isSortable: true, width: '18%' },
      cell: ({ getValue }) => <span className="font-550 wrap-anywhere">{getValue()}</span>,
    }),
    column.accessor('url', {
      header: 'URL',
      meta: { isSortable: true },
      cell: ({ getValue }) => (
        <span className={`${classes.url} font-mono text-13 wrap-anywhere text-ink-soft`} title={getValue()}>
          {getValue()}
        </span>
      ),
    }),
    column.accessor('is_active', {
      header: 'Status',
      meta: { isSortable: true, width: '11.5rem' },
      cell: ({ row: { original } }) => <Status webhook={original} />,
    }),
    column.display({
      id: 'events',
      header: 'Events',
      meta: { width: '13rem' },
      cell: ({ row: { original } }) => <Events webhook={original} />,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      meta: { isAction: true, align: 'right', width: '6rem' },
      cell: ({ row: { original } }) => <Actions webhook={original} onChoose={onChoose} />,
    }),
  ]);

/** Loaded with the first row, because menus are heavy. */
const RowActions = lazy(async () => ({ default: (await import('./RowActions.tsx')).RowActions }));

const Actions = (props: { webhook: Webhook; onChoose: Choose }) => (
  <Suspense fallback={<div className="min-w-15" />}>
    <RowActions {...props} />
  </Suspense>
);

const eventsNote = (webhook: Webhook): string => countOf(eventsOf(webhook).length, 'event');

const Status = ({ webhook }: { webhook: Webhook }) => (
  <div className="flex flex-col items-start gap-[0.2rem]">
    <ActiveBadge webhook={webhook} />
    <Trouble webhook={webhook} />
  </div>
);

const ActiveBadge = ({ webhook: { is_active, consecutive_failures } }: { webhook: Webhook }) =>
  is_active ? (
    <Badge tone={consecutive_failures > 0 ? 'orange' : 'green'}>Active</Badge>
  ) : (
    <Badge tone="gray">Inactive</Badge>
  );

const Trouble = ({ webhook }: { webhook: Webhook }) => {
  const trouble = troubleOf(webhook);
  return trouble ? <span className="text-[0.78125rem] text-orange">{trouble}</span> : null;
};

function troubleOf({ is_active, disabled_reason, consecutive_failures }: Webhook): string | undefined {
  if (!is_active) return disabled_reason ? switchedOffBriefly[disabled_reason] : undefined;
  if (consecutive_failures === 0) return undefined;
  return consecutive_failures === 1 ? 'Last delivery failed' : `${consecutive_failures} failures in a row`;
}

/** The number of enabled events, and their names unless all are enabled. */
function Events({ webhook }: { webhook: Webhook }) {
  const events = eventsOf(webhook);
  const which = events.length === EVENTS.length ? 'All' : events.join(', ') || 'None';
  return (
    <>
      <span className="block tabular-nums">{events.length}</span>
      <span className="text-13 text-ink-soft">{which}</span>
    </>
  );
}
