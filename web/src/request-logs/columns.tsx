import type { RequestLog } from '#contract/request-logs.ts';
import { Recipient } from '../otp/Recipient.tsx';
import { columnsOf } from '../table/columns.ts';
import { CostBadge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { StatusCode } from '../ui/StatusCode.tsx';
import { actionOf, milliseconds, viaOf, withoutBase } from './labels.ts';
import classes from './RequestLogs.module.css';

const column = columnsOf<RequestLog>();

export const requestLogColumns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    enableSorting: true,
    meta: { width: '12.75rem' },
    cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
  }),
  column.accessor('request_type', {
    header: 'Action',
    enableSorting: true,
    meta: { width: '6.75rem', card: 'title' },
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
      <Recipient recipient={original.otp?.recipient} keyName={original.api_key.name} />
    ),
  }),
  column.accessor('response_status_code', {
    header: 'Status',
    enableSorting: true,
    meta: { width: '5.5rem' },
    cell: ({ row: { original } }) => (
      <span className={classes.status}>
        <StatusCode status={original.response_status_code} />
        {original.count > 1 ? (
          <span className={classes.soft} title={`${original.count} requests in this second`}>
            ×{original.count}
          </span>
        ) : null}
      </span>
    ),
  }),
  column.accessor('response_time_ms', {
    header: 'Response Time',
    enableSorting: true,
    meta: { width: '9rem', align: 'right' },
    cell: ({ getValue }) => milliseconds(getValue()),
  }),
  column.accessor('credits_used', {
    header: 'Credits',
    enableSorting: true,
    meta: { width: '5.5rem', align: 'right' },
    cell: ({ getValue }) => <CostBadge credits={getValue()} />,
  }),
  column.display({
    id: 'details',
    header: 'Details',
    meta: { width: '9.75rem', wide: true },
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
