import { recipientColumns } from '@sixdigit/contract/text/csv.ts';
import { type Exported, PART_ROWS } from '../../platform/export/export.ts';
import { type ExportedVerification, selectVerificationPart, type VerificationFilter } from './queries.ts';

/** The verifications that match, as CSV. */
export const verificationExport = (filter: VerificationFilter | null): Exported<ExportedVerification> => ({
  name: 'verifications',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    ...recipientColumns((row: ExportedVerification) => row.recipient),
    { header: 'channel', cell: (row) => row.channel },
    { header: 'status', cell: (row) => row.status },
    { header: 'cost_credits', cell: (row) => row.cost_credits },
    { header: 'segments', cell: (row) => row.segments },
    { header: 'country', cell: (row) => row.country },
    { header: 'carrier', cell: (row) => row.carrier },
    { header: 'sent_at', cell: (row) => row.sent_at },
    { header: 'delivered_at', cell: (row) => row.delivered_at },
    { header: 'verified_at', cell: (row) => row.verified_at },
    { header: 'failure', cell: (row) => row.failure },
    { header: 'api_key_id', cell: (row) => row.api_key.id },
    { header: 'api_key_name', cell: (row) => row.api_key.name },
    { header: 'test', cell: (row) => row.test },
  ],
  part: async (tx, below) =>
    filter ? selectVerificationPart(tx, filter, { below, most: PART_ROWS }) : { rows: [], next: null },
});
