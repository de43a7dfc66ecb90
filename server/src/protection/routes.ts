import {
  type DestinationDecision,
  exportDecisions,
  getDecisionFigures,
  listDecisions,
} from '@sixdigit/contract/protection/decisions.ts';
import {
  allowDestination,
  denyDestination,
  getProtection,
  type ListEntry,
  listBlocks,
  removeListEntry,
  unblockDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { type AuditRecord, byOwner, record } from '../audit/audit.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { type Exported, exportCsv, PART_ROWS } from '../platform/export/export.ts';
import { originOf } from '../platform/http/client-address.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { requireRole, requireStepUp, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { blocksOf } from './blocks.ts';
import { filterOf, selectDecisionPart, selectDecisions, sumDecisionsByDay } from './decision-queries.ts';
import { endBlocks } from './exchange-queries.ts';
import { knownRoutes } from './known-routes.ts';
import { readUnblockToken } from './mails.ts';
import type { Protection } from './protection.ts';
import { recordedChange, recordedEntry } from './restore.ts';
import {
  changeOwn,
  changeProtection,
  entryOf,
  lockedChange,
  protectionOf,
  type SettingsApp,
  use,
  withEntry,
  withoutEntry,
} from './settings.ts';

type App = Needs<'db' | 'clock' | 'config' | 'log' | 'random' | 'vault'> & { protection: Protection };

export function protectionRoutes(server: Server, app: App): void {
  knownRoutes(server, app);
  decisionRoutes(server, app);
  const settings = { ...app, guard: app.protection.guard };
  serve(server, getProtection, ({ caller }) => protectionOf(settings, caller.account_id));
  serve(server, updateProtection, ({ caller, body }) => {
    if (Object.values(body).some((value) => value !== undefined)) requireStepUp(caller);
    return changeProtection(settings, caller, body);
  });
  serve(server, listBlocks, ({ caller }) => blocksOf(app, caller.account_id));
  serve(server, allowDestination, async ({ caller, body }) => {
    // Support and developers may help the owner of one number, not open a range.
    if (body.kind !== 'number') requireRole(caller, 'admin');
    await allow(settings, { ...byOwner(caller), action: 'protection.allow' }, entryFrom(body, app));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, denyDestination, async ({ caller, body }) => {
    await changeOwn(settings, caller, withEntry('deny', entryFrom(body, app)));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, removeListEntry, async ({ caller, body }) => {
    await changeOwn(settings, caller, withoutEntry(body.list, entryFrom(body, app)));
    return protectionOf(settings, caller.account_id);
  });
  serve(server, unblockDestination, async ({ body, request }) => {
    const now = app.clock.now();
    const link = readUnblockToken(app, body.token, now);
    if (!link) throw new Failure('invalid_unblock_link');
    const { account_id, kind, value } = link;
    const entry = { kind, value, note: 'Unblocked by mail', created_at: now.toISOString(), expires_at: null };
    // The link proves access to the mailbox of the account.
    const by = {
      account_id,
      actor: 'owner',
      origin: originOf(request),
      action: 'protection.unblock',
    } as const;
    await allow(settings, by, entry);
    return { kind, value, expires_at: null };
  });
}

function entryFrom(given: Parameters<typeof entryOf>[0], { clock }: Pick<App, 'clock'>): ListEntry {
  const result = entryOf(given, clock.now());
  if ('problem' in result) throw new FieldErrors({ value: [result.problem] });
  return result.entry;
}

/** Adds an entry to the allow list and ends the blocks that it covers. An existing entry is not recorded again. */
async function allow(
  app: SettingsApp,
  by: Pick<AuditRecord, 'account_id' | 'actor' | 'origin' | 'action'>,
  entry: ListEntry,
): Promise<void> {
  const { account_id } = by;
  const row = await app.db.transaction(async (tx) => {
    const { before, after } = await lockedChange(tx, account_id, withEntry('allow', entry));
    await endBlocks(tx, account_id, entry);
    const changes = recordedChange(before, after);
    if (changes) await record(tx, app, { ...by, subject: recordedEntry(entry), ...changes });
    return after;
  });
  use(app, row);
}

/** The decisions about an account's sends, with their reasons. */
function decisionRoutes(server: Server, app: Needs<'db' | 'clock' | 'log'>): void {
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
