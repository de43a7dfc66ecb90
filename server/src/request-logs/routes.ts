import {
  exportRequestLogs,
  listRequestLogs,
  type RefusedField,
  type RequestLog,
} from '@sixdigit/contract/request-logs.ts';
import { recipientColumns } from '@sixdigit/contract/text/csv.ts';
import { limitsOf, withinListLimits } from '../platform/db/list-limits.ts';
import { wholeFor } from '../platform/db/page.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { filterOf, requestLogsOf } from './list.ts';
import { type RequestLogFilter, selectRequestLogPart } from './queries.ts';

export function requestLogRoutes(
  server: Server,
  app: Needs<'db' | 'clock' | 'config' | 'log' | 'vault'>,
): void {
  serve(server, listRequestLogs, ({ caller, query, request }) =>
    withinListLimits(
      app.db,
      caller.account_id,
      (db) => requestLogsOf({ ...app, db }, caller.account_id, query, wholeFor(caller)),
      limitsOf(query, request),
    ),
  );
  serve(server, exportRequestLogs, async ({ query, ...call }) => {
    const filter = await filterOf(app, call.caller.account_id, query, wholeFor(call.caller));
    return exportCsv(app, { server, ...call }, requestLogExport(filter));
  });
}

const refusedText = ({ field, message, value }: RefusedField): string =>
  `${field}: ${message}${value === null ? '' : ` (${value})`}`;

/** Exports the matching requests as CSV. */
const requestLogExport = (filter: RequestLogFilter | null): Exported<RequestLog> => ({
  name: 'requests',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'request_id', cell: (row) => row.request_id },
    { header: 'request_type', cell: (row) => row.request_type },
    { header: 'method', cell: (row) => row.method },
    { header: 'endpoint', cell: (row) => row.endpoint },
    { header: 'response_status_code', cell: (row) => row.response_status_code },
    { header: 'reason', cell: (row) => row.reason },
    { header: 'refused_fields', cell: (row) => row.refused_fields?.map(refusedText).join(' ') ?? null },
    { header: 'blocked_by', cell: (row) => row.blocked_by?.join(' ') ?? null },
    { header: 'count', cell: (row) => row.count },
    { header: 'response_time_ms', cell: (row) => row.response_time_ms },
    { header: 'credits_used', cell: (row) => row.credits_used },
    { header: 'otp_id', cell: (row) => row.otp?.id ?? null },
    { header: 'channel', cell: (row) => row.otp?.channel ?? null },
    ...recipientColumns((row: RequestLog) => row.otp?.recipient ?? null),
    { header: 'otp_status', cell: (row) => row.otp?.status ?? null },
    { header: 'ip_address', cell: (row) => row.ip_address },
    { header: 'api_key_id', cell: (row) => row.api_key.id },
    { header: 'api_key_name', cell: (row) => row.api_key.name },
    { header: 'test', cell: (row) => row.test },
  ],
  part: async (tx, below) =>
    filter ? selectRequestLogPart(tx, filter, { below, most: PART_ROWS }) : { rows: [], next: null },
});
