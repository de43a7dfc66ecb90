import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { API_BASE, CONNECTIONS_PATH } from '@sixdigit/contract/route.ts';
import { Recipient } from '../otp/columns.tsx';
import { reasonShown, recipientShown, refusalText } from '../otp/refused.ts';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { CostBadge, StatusCode } from '../ui/Badge.tsx';
import { labelOf } from '../ui/channel.ts';
import { rowDateTime } from '../ui/dates.ts';
import { ReasonText } from '../ui/ReasonText.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { Time } from '../ui/Time.tsx';

const actions = { send_otp: 'Send OTP', verify_otp: 'Verify OTP' } as const;

export const actionOf = ({ request_type }: RequestLog): string => actions[request_type];

/** 'via SMS', if the channel is known. */
export const viaOf = ({ otp }: RequestLog): string | undefined =>
  otp?.channel ? `via ${labelOf(otp.channel)}` : undefined;

export const milliseconds = (ms: number): string =>
  `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** The path relative to the base URL, as in the docs. */
export const withoutBase = (endpoint: string): string =>
  endpoint.startsWith(API_BASE) ? endpoint.slice(API_BASE.length) : endpoint;

/** Whether a system made the request to the address of a connection. */
export const isOfConnection = ({ endpoint }: RequestLog): boolean =>
  withoutBase(endpoint).startsWith(CONNECTIONS_PATH);

/** Whether the request was in the format of our API. */
export const isOwnCall = ({ endpoint }: RequestLog): boolean => withoutBase(endpoint).startsWith('/otp/');

/** Without the id of a connection, whose name stands beside the path. */
const shortPath = (endpoint: string): string =>
  withoutBase(endpoint).replace(new RegExp(`^${CONNECTIONS_PATH}.*/`), `${CONNECTIONS_PATH}…/`);

const CompactRecipient = ({ recipient }: { recipient: string | undefined }) =>
  recipient ? <RecipientText recipient={recipient} /> : 'No recipient';

const column = columnsOf<RequestLog>();

export const compactRequestLog = (log: RequestLog): Compact => ({
  title: <CompactRecipient recipient={recipientShown(log)} />,
  badge: (
    <>
      {log.reason ? (
        // A long reason takes two lines rather than the recipient's room. The row keeps its height.
        <span className="-my-1.25 text-end leading-[1.2]" style={{ maxWidth: '6rem' }}>
          <ReasonText reason={reasonShown(log) ?? log.reason} />
        </span>
      ) : null}
      <Status log={log} />
    </>
  ),
  details: [
    rowDateTime(log.created_at),
    log.refunded ? actionOf(log) : [actionOf(log), viaOf(log)].filter(Boolean).join(' '),
  ],
  more: [log.api_key.name, milliseconds(log.response_time_ms)],
  end: (
    <>
      {log.refunded ? <span className="text-12 text-ink-soft">refunded</span> : null}
      <CostBadge credits={log.credits_used} />
    </>
  ),
});

/** Elsewhere, such as in Insights, each of these requests counts. */
export const repeatsNote = (rows: readonly RequestLog[]) =>
  rows.some(({ count }) => count > 1) ? '· ×2 is two equal requests in one row' : null;

export const requestLogColumns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '18%' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('request_type', {
    header: 'Action',
    meta: { isSortable: true, width: '9.5%' },
    cell: ({ row: { original } }) => (
      <>
        <span className="block font-550 whitespace-nowrap">{actionOf(original)}</span>
        {viaOf(original) ? (
          <span className="block text-13 font-400 text-ink-soft">{viaOf(original)}</span>
        ) : null}
      </>
    ),
  }),
  column.display({
    id: 'recipient',
    header: 'Recipient',
    cell: ({ row: { original } }) => (
      <Recipient recipient={recipientShown(original)} keyName={original.api_key.name} />
    ),
  }),
  column.accessor('response_status_code', {
    header: 'Status',
    meta: { isSortable: true, width: '7.5%' },
    cell: ({ row: { original } }) => <Status log={original} />,
  }),
  column.accessor('reason', {
    header: 'Reason',
    meta: { width: '14%' },
    cell: ({ row: { original } }) => {
      const reason = reasonShown(original);
      return reason === null ? null : (
        <span title={refusalText(original)}>
          <ReasonText reason={reason} />
        </span>
      );
    },
  }),
  column.accessor('response_time_ms', {
    header: 'Response Time',
    meta: { isSortable: true, width: '11.5%', align: 'right' },
    cell: ({ getValue }) => milliseconds(getValue()),
  }),
  column.accessor('credits_used', {
    header: 'Credits',
    meta: { isSortable: true, width: '8%', align: 'right' },
    cell: ({ row: { original } }) => (
      <>
        <CostBadge credits={original.credits_used} />
        {original.refunded ? (
          <span className="block text-13 leading-[1.2] text-ink-soft">refunded</span>
        ) : null}
      </>
    ),
  }),
  column.display({
    id: 'details',
    header: 'Details',
    meta: { width: '11.5%' },
    cell: ({ row: { original } }) => (
      <span className="grid">
        <span className="font-mono text-[0.71875rem] whitespace-nowrap" title={original.endpoint}>
          {original.method} {shortPath(original.endpoint)}
        </span>
        <span className="text-13 font-400 text-ink-soft">{original.ip_address ?? 'No IP address'}</span>
      </span>
    ),
  }),
]);

const Status = ({ log: { response_status_code, count } }: { log: RequestLog }) => (
  <span className="inline-flex items-center gap-[0.4rem]">
    <StatusCode status={response_status_code} />
    {count > 1 ? (
      <span className="text-13 font-400 text-ink-soft" title={`${count} requests in this second`}>
        ×{count}
      </span>
    ) : null}
  </span>
);
