import { exportRequestLogs, listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { limitsOf, withinListLimits } from '../../platform/db/list-limits.ts';
import { exportCsv } from '../../platform/export/export.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { requestLogExport } from './export.ts';
import { filterOf, requestLogsOf } from './list.ts';

export function requestLogRoutes(server: Server, app: Needs<'db' | 'clock' | 'config' | 'log'>): void {
  serve(server, listRequestLogs, ({ caller, query, request }) =>
    withinListLimits(
      app.db,
      caller.account_id,
      (db) => requestLogsOf({ ...app, db }, caller.account_id, query),
      limitsOf(query, request),
    ),
  );
  serve(server, exportRequestLogs, async ({ query, ...call }) => {
    const filter = await filterOf(app, call.caller.account_id, query);
    return exportCsv(app, { server, ...call }, requestLogExport(filter));
  });
}
