import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { Recipient } from '../otp/Recipient.tsx';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { CostBadge, StatusCode, TestBadge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { RecipientText } from '../ui/RecipientText.tsx';
import { Time } from '../ui/Time.tsx';
import { actionOf, milliseconds, viaOf, withoutBase } from './labels.ts';
import classes from './RequestLogs.module.css';

const column = columnsOf<RequestLog>();

export const compactRequestLog = (log: RequestLog): Compact => ({
  title: log.otp?.recipient ? <RecipientText recipient={log.otp.recipient} /> : 'No recipient',
  badge: (
    <>
      {log.test ? <TestBadge /> : null}
      <Status log={log} />
    </>
  ),
  details: [
    [actionOf(log), viaOf(log)].filter(Boolean).join(' '),
    shortDateTime(log.created_at),
    milliseconds(log.response_time_ms),
    log.api_key.name,
    `${log.method} ${withoutBase(log.endpoint)}`,
    log.ip_address ?? 'No IP address',
  ],
  end: <CostBadge credits={log.credits_used} />,
});

export const requestLogColumns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    enableSorting: true,
    meta: { width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('request_type', {
    header: 'Action',
    enableSorting: true,
    meta: { width: '6.75rem' },
    cell: ({ row: { original } }) => (
      <>
        <span className={classes.action}>{actionOf(original)}</span>
        {viaOf(original) ? <span className={classes.soft}>{viaOf(original)}</span> : null}
      </>
    ),
  }),
  column.display({
    id: 'recipient',
    header: 'Recipient',
    cell: ({ row: { original } }) => (
      <Recipient recipient={original.otp?.recipient} keyName={original.api_key.name} isTest={original.test} />
    ),
  }),
  column.accessor('response_status_code', {
    header: 'Status',
    enableSorting: true,
    meta: { width: '5rem' },
    cell: ({ row: { original } }) => <Status log={original} />,
  }),
  column.accessor('response_time_ms', {
    header: 'Response Time',
    enableSorting: true,
    meta: { width: '8rem', align: 'right' },
    cell: ({ getValue }) => milliseconds(getValue()),
  }),
  column.accessor('credits_used', {
    header: 'Credits',
    enableSorting: true,
    meta: { width: '5rem', align: 'right' },
    cell: ({ getValue }) => <CostBadge credits={getValue()} />,
  }),
  column.display({
    id: 'details',
    header: 'Details',
    meta: { width: '10.75rem' },
    cell: ({ row: { original } }) => (
      <span className={classes.details}>
        <span className={classes.call} title={original.endpoint}>
          {original.method} {withoutBase(original.endpoint)}
        </span>
        <span className={classes.soft}>{original.ip_address ?? 'No IP address'}</span>
      </span>
    ),
  }),
]);

const Status = ({ log: { response_status_code, count } }: { log: RequestLog }) => (
  <span className={classes.status}>
    <StatusCode status={response_status_code} />
    {count > 1 ? (
      <span className={classes.soft} title={`${count} requests in this second`}>
        ×{count}
      </span>
    ) : null}
  </span>
);
