import type { OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { fullDateTime, shortDateTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { actionText } from './action-texts.ts';
import { Facts } from './Facts.tsx';
import classes from './Operator.module.css';
import { auditPage } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { auditSearch } from './searches.ts';

/** Every change and reveal by an operator. Entries are never changed. */
export function Audit() {
  const list = useList(auditSearch);
  const query = useQuery(auditPage(list.search));
  const [shown, setShown] = useState<OperatorAction>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeading title={operatorPages.audit.title}>
        Every change and every reveal by an operator, with the state before and after. Entries are never
        changed.
      </PageHeading>
      <ListScreen
        label="Audit"
        noun="entries"
        placeholder="Search operators, actions, or reasons..."
        list={list}
        query={query}
        columns={columns}
        compact={compactAction}
        rowId={({ id }) => id}
        onOpen={(action) => {
          setShown(action);
          setOpen(true);
        }}
        error={{ title: 'Error loading data', message: 'Failed to load the audit' }}
        empty={{
          icon: <IconClipboardList size={24} />,
          title: 'No entries',
          nothing: (
            <EmptyState icon={<IconClipboardList size={24} />} title="No entries">
              The first change by an operator appears here.
            </EmptyState>
          ),
          noMatch: 'No entry matches the search.',
        }}
      />
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={shown ? actionText(shown.action) : ''}
        size="lg"
      >
        {shown ? <Entry action={shown} /> : null}
      </Dialog>
    </>
  );
}

const operatorOf = ({ operator, operator_key }: OperatorAction): string =>
  operator_key ? `${operator_key} (key of ${operator ?? 'a deleted account'})` : (operator ?? 'Command line');

const Entry = ({ action }: { action: OperatorAction }) => (
  <div className={classes.sections}>
    <Facts
      facts={{
        When: fullDateTime(action.created_at),
        Action: <code>{action.action}</code>,
        Operator: operatorOf(action),
        Subject: action.subject,
        Reason: action.reason || '–',
        Address: action.ip_address ?? '–',
        ...(action.account_id
          ? {
              Account: (
                <PageLink to="/operator/accounts/$id" params={{ id: action.account_id }}>
                  {action.account_id}
                </PageLink>
              ),
            }
          : {}),
      }}
    />
    <div className={classes.states}>
      <State title="Before" state={action.before} />
      <State title="After" state={action.after} />
    </div>
  </div>
);

const State = ({ title, state }: { title: string; state: unknown }) => (
  <div className={classes.state}>
    <strong>{title}</strong>
    <pre>{state === null || state === undefined ? '–' : JSON.stringify(state, null, 2)}</pre>
  </div>
);

const compactAction = (action: OperatorAction): Compact => ({
  title: actionText(action.action),
  details: [action.subject, operatorOf(action), shortDateTime(action.created_at)],
});

const column = columnsOf<OperatorAction>();
const columns = column.columns([
  column.accessor('created_at', {
    header: 'When',
    enableSorting: true,
    meta: { width: '12rem' },
    cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
  }),
  column.accessor('action', {
    header: 'Action',
    cell: ({ row: { original } }) => (
      <span className={classes.name}>
        {actionText(original.action)}
        <small>{original.subject}</small>
      </span>
    ),
  }),
  column.display({
    id: 'operator',
    header: 'Operator',
    cell: ({ row: { original } }) => operatorOf(original),
  }),
  column.accessor('reason', { header: 'Reason' }),
]);
