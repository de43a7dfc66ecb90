import { exportAuditEntries, listAuditEntries } from '@sixdigit/contract/audit.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { exportCsv } from '../platform/export/export.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { auditExport } from './audit-export.ts';
import type { FailedSignIns } from './failed-sign-ins.ts';
import { entriesOf, filterOf } from './list.ts';

export function auditRoutes(
  server: Server,
  app: Needs<'db' | 'clock' | 'log' | 'placeOf'> & { failedSignIns: FailedSignIns },
): void {
  serve(server, listAuditEntries, async ({ caller, query }) => {
    await app.failedSignIns.flush();
    return withinListLimits(app.db, caller.account_id, (db) =>
      entriesOf({ ...app, db }, caller.account_id, query),
    );
  });
  serve(server, exportAuditEntries, (call) =>
    exportCsv(app, { server, ...call }, auditExport(app, filterOf(app, call.caller.account_id, call.query))),
  );
}
