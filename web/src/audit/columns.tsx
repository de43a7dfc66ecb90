import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import { type AuditActor, type AuditEntry, labelOfAction } from '@sixdigit/contract/audit.ts';
import type { ReactNode } from 'react';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { shortDateTime } from '../ui/dates.ts';
import { Time } from '../ui/Time.tsx';
import { ACTOR_LABELS } from './audit-search.ts';

const column = columnsOf<AuditEntry>();

/** `actors`: what the reader calls them. */
export const compactEntryWith =
  (actors: Record<AuditActor, string>) =>
  (entry: AuditEntry): Compact => ({
    title: <Line entry={entry} />,
    details: [
      shortDateTime(entry.created_at),
      actors[entry.actor],
      ...(entry.user_agent === null ? [] : [deviceOf(entry.user_agent)]),
      ...(entry.ip_address === null ? [] : [entry.place ?? entry.ip_address]),
    ],
  });

export const auditColumnsWith = (actors: Record<AuditActor, string>) =>
  column.columns([
    column.accessor('created_at', {
      header: 'Date',
      enableSorting: true,
      meta: { width: '12.25rem' },
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
    column.display({
      id: 'action',
      header: 'Action',
      cell: ({ row: { original } }) => <Action entry={original} />,
    }),
    column.display({
      id: 'actor',
      header: 'By',
      meta: { width: '6rem' },
      cell: ({ row: { original } }) => actors[original.actor],
    }),
    column.display({
      id: 'from',
      header: 'From',
      meta: { width: '13rem' },
      cell: ({ row: { original } }) => <From entry={original} />,
    }),
  ]);

/** For the owner of the account. */
export const compactEntry = compactEntryWith(ACTOR_LABELS);
export const auditColumns = auditColumnsWith(ACTOR_LABELS);

const Soft = ({ children }: { children: ReactNode }) => (
  <span className="text-13 font-400 text-ink-soft">{children}</span>
);

const toneOf = (action: string) => (action.endsWith('.fail') ? 'text-red' : undefined);

/** The action and its subject in one line. */
const Line = ({ entry: { action, subject, count } }: { entry: AuditEntry }) => (
  <>
    <span className={toneOf(action)}>
      {labelOfAction(action)}
      {count > 1 ? ` ×${count}` : null}
    </span>
    {subject === '' ? null : <Soft> · {subject}</Soft>}
  </>
);

const Action = ({ entry: { action, subject, count } }: { entry: AuditEntry }) => (
  <span className="grid min-w-0 wrap-anywhere">
    <span className={`font-550 ${toneOf(action) ?? ''}`}>
      {labelOfAction(action)}
      {count > 1 ? <Soft> ×{count}</Soft> : null}
    </span>
    {subject === '' ? null : <Soft>{subject}</Soft>}
  </span>
);

const From = ({ entry: { ip_address, place, user_agent } }: { entry: AuditEntry }) =>
  ip_address === null && user_agent === null ? (
    <Soft>–</Soft>
  ) : (
    <span className="grid min-w-0 wrap-anywhere">
      {user_agent === null ? null : <span className="font-550">{deviceOf(user_agent)}</span>}
      <span className="text-13 font-400 text-ink-soft first:font-550">{ip_address ?? 'No IP address'}</span>
      {place === null ? null : <Soft>{place}</Soft>}
    </span>
  );
