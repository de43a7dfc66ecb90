import {
  type AuditEntry,
  exportAuditEntries,
  labelOfAction,
  listAuditEntries,
} from '@sixdigit/contract/audit.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { requireRole, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import type { FailedSignIns } from './failed-sign-ins.ts';
import { entriesOf, filterOf, selectEntryPart } from './list.ts';

export function auditRoutes(
  server: Server,
  app: Needs<'db' | 'clock' | 'log' | 'placeOf'> & { failedSignIns: FailedSignIns },
): void {
  serve(server, listAuditEntries, async ({ caller, query }) => {
    // Until entries name the person, no entry is known to be the caller's own.
    requireRole(caller, 'admin');
    await app.failedSignIns.flush();
    return withinListLimits(app.db, caller.account_id, (db) =>
      entriesOf({ ...app, db }, caller.account_id, query),
    );
  });
  serve(server, exportAuditEntries, (call) => {
    requireRole(call.caller, 'admin');
    return exportCsv(
      app,
      { server, ...call },
      auditExport(app, filterOf(app, call.caller.account_id, call.query)),
    );
  });
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** The audit log as CSV. */
const auditExport = (
  { placeOf }: Needs<'placeOf'>,
  filter: ReturnType<typeof filterOf>,
): Exported<AuditEntry> => ({
  name: 'audit-log',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'actor', cell: (row) => row.actor },
    { header: 'action', cell: (row) => row.action },
    { header: 'description', cell: (row) => labelOfAction(row.action) },
    { header: 'subject', cell: (row) => row.subject },
    { header: 'before', cell: (row) => json(row.before) },
    { header: 'after', cell: (row) => json(row.after) },
    { header: 'ip_address', cell: (row) => row.ip_address },
    { header: 'place', cell: (row) => row.place },
    { header: 'user_agent', cell: (row) => row.user_agent },
    { header: 'count', cell: (row) => row.count },
  ],
  part: (tx, below) => selectEntryPart(tx, placeOf, filter, { below, most: PART_ROWS }),
});
