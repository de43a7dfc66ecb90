import {
  type DestinationDecision,
  exportDecisions,
  getDecisionFigures,
  listDecisions,
} from '@sixdigit/contract/protection/decisions.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { filterOf, selectDecisionPart, selectDecisions, sumDecisionsByDay } from './decision-queries.ts';

/** The decisions about an account's sends, with their reasons. */
export function decisionRoutes(server: Server, app: Needs<'db' | 'clock' | 'log'>): void {
  serve(server, listDecisions, ({ caller: { account_id }, query }) =>
    withinListLimits(app.db, account_id, (db) =>
      selectDecisions(db, filterOf(account_id, query, app.clock.now()), query),
    ),
  );
  serve(server, getDecisionFigures, ({ caller: { account_id } }) =>
    withinListLimits(app.db, account_id, async (db) => ({ days: await sumDecisionsByDay(db, account_id) })),
  );
  serve(server, exportDecisions, (call) =>
    exportCsv(
      app,
      { server, ...call },
      decisionExport(filterOf(call.caller.account_id, call.query, app.clock.now())),
    ),
  );
}

const decisionExport = (filter: ReturnType<typeof filterOf>): Exported<DestinationDecision> => ({
  name: 'decisions',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'last_at', cell: (row) => row.last_at },
    { header: 'sends', cell: (row) => row.sends },
    { header: 'outcome', cell: (row) => row.outcome },
    { header: 'rule', cell: (row) => row.rule },
    { header: 'exemption', cell: (row) => row.exemption },
    {
      header: 'reasons',
      cell: (row) => row.findings.map(({ rule, explanation }) => `${rule}: ${explanation}`).join('\n'),
    },
    { header: 'strictest', cell: (row) => row.strictest },
    { header: 'loosest', cell: (row) => row.loosest },
    { header: 'api_key_id', cell: (row) => row.api_key_id },
    { header: 'prefix', cell: (row) => row.prefix },
    { header: 'country', cell: (row) => row.country },
    { header: 'client', cell: (row) => row.client },
  ],
  part: (tx, below) => selectDecisionPart(tx, filter, { below, most: PART_ROWS }),
});
