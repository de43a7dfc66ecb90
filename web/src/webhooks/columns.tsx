import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, IconListDetails, IconPencil, IconRotate, IconTrash } from '@tabler/icons-react';
import { EVENTS, type Webhook } from '#contract/webhooks.ts';
import { columnsOf } from '../table/columns.ts';
import { Badge } from '../ui/Badge.tsx';
import { Statistics } from './Statistics.tsx';
import { switchedOffBriefly } from './SwitchedOff.tsx';
import classes from './Webhooks.module.css';
import { eventsOf } from './webhooks.ts';

/** Actions of a row's menu. */
export type RowAction = 'attempts' | 'edit' | 'rotate' | 'delete';
type Choose = (action: RowAction, webhook: Webhook) => void;

const column = columnsOf<Webhook>();

export const webhookColumns = (onChoose: Choose) =>
  column.columns([
    column.accessor('name', {
      header: 'Name',
      enableSorting: true,
      meta: { card: 'title', width: '20%' },
      cell: ({ getValue }) => <span className={classes.name}>{getValue()}</span>,
    }),
    column.accessor('url', {
      header: 'URL',
      enableSorting: true,
      cell: ({ getValue }) => <span className={classes.url}>{getValue()}</span>,
    }),
    column.accessor('is_active', {
      header: 'Status',
      enableSorting: true,
      meta: { width: '10.5rem' },
      cell: ({ row: { original } }) => <Status webhook={original} />,
    }),
    column.display({
      id: 'events',
      header: 'Events',
      meta: { width: '8.5rem' },
      cell: ({ row: { original } }) => <Events webhook={original} />,
    }),
    column.display({
      id: 'actions',
      header: 'Actions',
      meta: { card: 'action', align: 'right', width: '6rem' },
      cell: ({ row: { original } }) => (
        <div className={classes.actions}>
          <Statistics webhook={original} />
          <RowMenu webhook={original} onChoose={onChoose} />
        </div>
      ),
    }),
  ]);

const Status = ({ webhook: { is_active, disabled_reason, consecutive_failures } }: { webhook: Webhook }) => (
  <div className={classes.status}>
    {is_active ? <Badge tone="green">Active</Badge> : <Badge tone="gray">Inactive</Badge>}
    {!is_active && disabled_reason ? (
      <span className={classes.trouble}>{switchedOffBriefly[disabled_reason]}</span>
    ) : null}
    {is_active && consecutive_failures > 0 ? (
      <span className={classes.trouble}>
        {consecutive_failures === 1 ? 'Last delivery failed' : `${consecutive_failures} failures in a row`}
      </span>
    ) : null}
  </div>
);

/** The number of enabled events, and their names unless all are enabled. */
function Events({ webhook }: { webhook: Webhook }) {
  const events = eventsOf(webhook);
  const which = events.length === EVENTS.length ? 'all' : events.join(', ') || 'none';
  return (
    <div className={classes.events}>
      <Badge tone="outline">{events.length}</Badge>
      <span>{which}</span>
    </div>
  );
}

const choices: readonly { action: RowAction; label: string; Icon: typeof IconTrash }[] = [
  { action: 'attempts', label: 'View Attempts', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconRotate },
  { action: 'delete', label: 'Delete Webhook', Icon: IconTrash },
];

const RowMenu = ({ webhook, onChoose }: { webhook: Webhook; onChoose: Choose }) => (
  <Menu position="bottom-end" shadow="md" width={210}>
    <Menu.Target>
      <ActionIcon aria-label={`Actions for ${webhook.name}`}>
        <IconDotsVertical size={18} stroke={1.75} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {choices.map(({ action, label, Icon }) => (
        <Menu.Item
          key={action}
          {...(action === 'delete' && { className: classes.danger ?? '' })}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(action, webhook)}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
