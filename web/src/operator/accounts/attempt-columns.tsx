import type { OperatorAttempt } from '@sixdigit/contract/operator/account-data.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Time } from '../../ui/Time.tsx';
import { number } from '../Facts.tsx';
import classes from '../Operator.module.css';

const Outcome = ({ attempt: { succeeded, response_status } }: { attempt: OperatorAttempt }) => (
  <Badge tone={succeeded ? 'green' : 'red'}>{response_status ?? 'No answer'}</Badge>
);

export const compactAttempt = (attempt: OperatorAttempt): Compact => ({
  title: attempt.event_type,
  badge: <Outcome attempt={attempt} />,
  details: [
    shortDateTime(attempt.attempted_at),
    `Attempt ${attempt.attempt}`,
    `${number(attempt.duration_ms)} ms`,
    attempt.error,
  ],
});

const column = columnsOf<OperatorAttempt>();

export const attemptColumns = column.columns([
  column.accessor('attempted_at', {
    header: 'Date',
    enableSorting: true,
    meta: { width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('event_type', {
    header: 'Event',
    cell: ({ row: { original } }) => (
      <span className={classes.name}>
        {original.event_type}
        {original.error ? <small>{original.error}</small> : null}
      </span>
    ),
  }),
  column.accessor('attempt', { header: 'Attempt', meta: { align: 'right', width: '6rem' } }),
  column.accessor('duration_ms', {
    header: 'Duration',
    meta: { align: 'right', width: '7rem' },
    cell: ({ getValue }) => `${number(getValue())} ms`,
  }),
  column.accessor('response_status', {
    header: 'Answer',
    meta: { width: '8rem' },
    cell: ({ row: { original } }) => <Outcome attempt={original} />,
  }),
]);
