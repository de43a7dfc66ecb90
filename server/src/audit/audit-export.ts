import { type AuditEntry, labelOfAction } from '@sixdigit/contract/audit.ts';
import { type Exported, PART_ROWS } from '../platform/export/export.ts';
import type { Needs } from '../platform/platform.ts';
import { type filterOf, selectEntryPart } from './list.ts';

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** The audit log as CSV. */
export const auditExport = (
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
