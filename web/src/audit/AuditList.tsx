import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import { type AuditActor, type AuditEntry, labelOfAction } from '@sixdigit/contract/audit.ts';
import { IconHistory } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Page } from '../api/list.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { ListScreen } from '../table/ListScreen.tsx';
import type { List } from '../table/list.ts';
import type { Exporting } from '../table/run-export.ts';
import { ShowAllTime } from '../table/ShowAllTime.tsx';
import { rowDateTime } from '../ui/dates.ts';
import { Time } from '../ui/Time.tsx';
import { actorOf } from './actor.ts';
import { ACTOR_LABELS, actors, type auditSearch, groups, periods } from './audit.ts';

interface Props {
  list: List<typeof auditSearch.defaults>;
  query: UseQueryResult<Page<AuditEntry>>;
  onOpen: (entry: AuditEntry) => void;
  exporting?: Exporting;
  /** the actors' names for this reader */
  labels?: Record<AuditActor, string>;
  /** the id of the reader, who appears as 'You' */
  own?: string | undefined;
  /** the members that the list can be filtered by */
  people?: readonly Person[] | undefined;
}

/** An account's audit log, for its owner and for operators. */
export function AuditList({ labels = ACTOR_LABELS, own, people, ...props }: Props) {
  const { list } = props;
  const shown = useMemo(() => {
    const by: By = (entry) => actorOf(entry, labels, own);
    return { columns: auditColumns(by), compact: compactEntry(by) };
  }, [labels, own]);
  const by = actors.map(({ value, label }) => ({ value, label: value === 'owner' ? labels.owner : label }));
  return (
    <ListScreen
      {...props}
      {...shown}
      label="Activity"
      noun="entries"
      placeholder="Search actions, names, or addresses..."
      filters={
        <>
          <FilterSelect list={list} name="days" label="Time period" options={periods} />
          <FilterSelect list={list} name="group" label="Action" options={groups} />
          <FilterSelect list={list} name="actor" label="By" options={by} />
          {people || list.search.person_id !== '' ? <PersonFilter list={list} people={people ?? []} /> : null}
        </>
      }
      rowId={({ id }) => id}
      failure="Failed to load the activity"
      empty={{
        icon: <IconHistory size={24} />,
        title: 'No activity in the last 30 days',
        action: <ShowAllTime list={list} />,
        noMatch: 'No entries match the current filters. Try adjusting the search or the filters.',
      }}
    />
  );
}

type By = (entry: AuditEntry) => string;

export interface Person {
  person_id: string;
  name: string;
  email: string;
}

/** Filters by the member who did it. A former member stays selected. */
function PersonFilter({ list, people }: { list: Props['list']; people: readonly Person[] }) {
  const chosen = list.search.person_id;
  const options = people.map(({ person_id, name, email }) => ({ value: person_id, label: name || email }));
  const isKnown = chosen === '' || options.some(({ value }) => value === chosen);
  return (
    <FilterSelect
      list={list}
      name="person_id"
      label="Person"
      options={[
        { value: '', label: 'All People' },
        ...options,
        ...(isKnown ? [] : [{ value: chosen, label: 'Former member' }]),
      ]}
    />
  );
}

const column = columnsOf<AuditEntry>();

const compactEntry =
  (by: By) =>
  (entry: AuditEntry): Compact => ({
    title: <Line entry={entry} />,
    details: [rowDateTime(entry.created_at), by(entry), entry.ip_address],
    more: [entry.user_agent === null ? null : deviceOf(entry.user_agent), entry.place],
  });

const auditColumns = (by: By) =>
  column.columns([
    column.accessor('created_at', {
      header: 'Date',
      meta: { isSortable: true, width: '12.25rem' },
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
      meta: { width: '15rem' },
      cell: ({ row: { original } }) => <span className="wrap-anywhere">{by(original)}</span>,
    }),
    column.display({
      id: 'from',
      header: 'From',
      meta: { width: '14.5rem' },
      cell: ({ row: { original } }) => <From entry={original} />,
    }),
  ]);

const Soft = ({ children }: { children: ReactNode }) => (
  <span className="text-13 font-400 text-ink-soft">{children}</span>
);

const toneOf = (action: string) => (action.endsWith('.fail') ? 'text-red' : undefined);

/** The action on one line with its subject. */
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
