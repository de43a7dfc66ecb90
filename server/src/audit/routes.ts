import {
  type AuditEntry,
  exportAuditEntries,
  labelOfAction,
  listAuditEntries,
} from '@sixdigit/contract/audit.ts';
import { isAtLeast } from '@sixdigit/contract/roles.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { type Server, serve, type UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import type { FailedSignIns } from './failed-sign-ins.ts';
import { entriesOf, filterOf, selectEntryPart } from './list.ts';

export function auditRoutes(
  server: Server,
  app: Needs<'db' | 'clock' | 'log' | 'placeOf'> & { failedSignIns: FailedSignIns },
): void {
  serve(server, listAuditEntries, async ({ caller, query }) => {
    await app.failedSignIns.flush();
    return withinListLimits(app.db, caller.account_id, (db) =>
      entriesOf({ ...app, db }, caller.account_id, ownFor(caller, query)),
    );
  });
  serve(server, exportAuditEntries, (call) => {
    const { caller, query } = call;
    return exportCsv(
      app,
      { server, ...call },
      auditExport(app, filterOf(app, caller.account_id, ownFor(caller, query))),
    );
  });
}

/** Owners and admins see every entry, others only their own. */
const ownFor = <Q extends { person_id?: string | undefined }>(
  { role, person_id }: Pick<UserCaller, 'role' | 'person_id'>,
  query: Q,
): Q => (isAtLeast(role, 'admin') ? query : { ...query, person_id });

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
    { header: 'person', cell: (row) => row.person?.email ?? row.person?.id ?? null },
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
