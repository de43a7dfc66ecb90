import { deleteWebhook, EVENTS, listWebhooks, type Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconListDetails, IconPencil, IconReplace, IconTrash, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { pages } from '../pages.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { useList } from '../table/list.ts';
import { ManagedList, RowButtons } from '../table/ManagedList.tsx';
import { Badge } from '../ui/Badge.tsx';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { PageLink } from '../ui/links.tsx';
import { countOf } from '../ui/numbers.ts';
import { useChosen, useOpened } from '../ui/opened.ts';
import type { RowChoice } from '../ui/RowMenu.tsx';
import { switchedOffBriefly } from './SwitchedOff.tsx';
import classes from './Webhooks.module.css';
import { eventsOf, webhookPage, webhookSearch } from './webhooks.ts';

const Deliveries = lazyDialog(async () => (await import('./Deliveries.tsx')).Deliveries);
const NewWebhook = lazyDialog(async () => (await import('./WebhookSecret.tsx')).NewWebhook);
const RotateSecret = lazyDialog(async () => (await import('./WebhookSecret.tsx')).RotateSecret);
const EditWebhook = lazyDialog(async () => (await import('./WebhookForm.tsx')).EditWebhook);

type Action = 'attempts' | 'edit' | 'rotate' | 'delete';
const ACTIONS: readonly RowChoice<Action>[] = [
  { action: 'attempts', label: 'View Deliveries', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconReplace },
  { action: 'delete', label: 'Delete Webhook', Icon: IconTrash },
];

/** Lists, creates and edits webhook endpoints. */
export function Webhooks() {
  const list = useList(webhookSearch);
  const query = useQuery(webhookPage(list.search));
  const dialog = useOpened('dialog');
  const log = useOpened('attempts');
  const { row, opened, choose, close } = useChosen<Webhook, Action>();
  const may = useMay();
  return (
    <>
      <ManagedList
        title={pages.webhooks.title}
        about="We call your endpoints when a code is sent, delivered or verified, fails or expires."
        create={may('createWebhook') && { label: 'Add Webhook', onClick: () => dialog.open('create') }}
        actions={{
          nameOf: ({ name }) => name,
          choicesOf: () => (may('updateWebhook') ? ACTIONS : ACTIONS.slice(0, 1)),
          onChoose: (action, webhook) => {
            if (action === 'attempts') log.open(webhook.id);
            else choose(action, webhook);
          },
        }}
        label="Webhooks"
        noun="webhook(s)"
        usualRows={3}
        times="none"
        placeholder="Search webhooks..."
        list={list}
        query={query}
        columns={webhookColumns}
        columnsWidth={760}
        compact={compactWebhook}
        rowId={({ id }) => id}
        onOpen={({ id }) => log.open(id)}
        failureTitle="Error loading webhooks"
        failure="Failed to load webhooks"
        empty={{
          icon: <IconWebhook size={24} />,
          title: 'No webhook endpoints',
          text: (
            <>
              Add a URL to learn what happens to your codes without asking. Every message is signed, and the{' '}
              <PageLink to="/docs" hash="webhooks">
                sample receiver
              </PageLink>{' '}
              checks the signature.
            </>
          ),
          noMatch: `No webhook endpoint matches “${list.search.search}”.`,
        }}
      />
      <Deliveries
        opened={log.opened !== undefined}
        onClose={log.close}
        id={log.opened}
        webhook={query.data?.results.find(({ id }) => id === log.opened)}
      />
      <NewWebhook opened={dialog.opened === 'create'} onClose={dialog.close} />
      <EditWebhook
        opened={opened === 'edit'}
        onClose={close}
        webhook={row}
        onDeliveries={({ id }) => {
          close();
          log.open(id);
        }}
      />
      <RotateSecret opened={opened === 'rotate'} onClose={close} webhook={row} />
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete Webhook"
        confirm="Delete Webhook"
        isDangerous
        of={row}
        run={({ id }) => call(deleteWebhook, { params: { id } })}
        success="Webhook endpoint deleted successfully"
        failure="Failed to delete webhook endpoint"
        refresh={[listWebhooks]}
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the webhook endpoint "{row?.name}"? Messages still waiting for it
          are dropped, and its deliveries are no longer shown. This action cannot be undone.
        </p>
      </LazyActionDialog>
    </>
  );
}

const compactWebhook = (webhook: Webhook): Compact => ({
  title: webhook.name,
  badge: <ActiveBadge webhook={webhook} />,
  details: [
    webhook.url.replace(/^https?:\/\//, ''),
    troubleOf(webhook) ? <Trouble key="trouble" webhook={webhook} /> : eventsNote(webhook),
  ],
  // The end of an address tells endpoints of one host apart.
  isFirstCut: true,
  action: <Actions webhook={webhook} />,
});

const column = columnsOf<Webhook>();
export const webhookColumns = column.columns([
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
    cell: ({ row: { original } }) => <Actions webhook={original} />,
  }),
]);

/** Loaded with the first row, because popovers are heavy. */
const Statistics = lazy(async () => ({ default: (await import('./Statistics.tsx')).Statistics }));

const Actions = ({ webhook }: { webhook: Webhook }) => (
  <div className="flex min-w-15 justify-end gap-1">
    <Suspense>
      <Statistics webhook={webhook} />
    </Suspense>
    <RowButtons of={webhook} />
  </div>
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
  // The steps of plans are extra.
  const usual = events.filter((event) => event !== 'step');
  const isAll = usual.length === EVENTS.length - 1;
  const which = (isAll ? ['All', ...events.slice(usual.length)] : events).join(', ') || 'None';
  return (
    <>
      <span className="block tabular-nums">{events.length}</span>
      <span className="text-13 text-ink-soft">{which}</span>
    </>
  );
}
