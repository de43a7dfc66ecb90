import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { EMAIL_MESSAGE } from '@sixdigit/contract/field.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import {
  createSuppression,
  deleteSuppression,
  exportSuppressions,
  listSuppressions,
  SUPPRESSIONS_MOST,
  type Suppression,
} from '@sixdigit/contract/suppressions.ts';
import { loggedChange } from '../../audit/audit.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import { containing, pageOf } from '../../platform/db/page.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { type Exported, exportCsv, PART_ROWS } from '../../platform/export/export.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import type { Carriers } from '../carriers/carriers.ts';
import {
  countAdded,
  type DeletedRow,
  deleteSuppressionRow,
  type Filter,
  lockSuppressionsOf,
  selectSuppressionPart,
  selectSuppressions,
} from './queries.ts';
import { suppress, suppressionOf, suppressionPrints } from './suppressions.ts';

interface Providers {
  carriers: Pick<Carriers, 'find'>;
  /** The address to which a verification was sent. Undefined if it is no longer stored. */
  recipientOf(tx: Tx, account_id: string, otp_id: string): Promise<string | undefined>;
}
type App = Needs<'clock' | 'db' | 'log' | 'random' | 'vault'>;

/** In the refusal of a test key. */
const CHANGED = 'suppressed addresses';

export function suppressionRoutes(server: Server, app: App & Providers): void {
  serve(server, listSuppressions, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      selectSuppressions(db, filterOf(app, caller, query), { ordering: query.ordering, ...pageOf(query) }),
    ),
  );
  serve(server, exportSuppressions, ({ query, ...call }) =>
    exportCsv(app, { server, ...call }, suppressionExport(filterOf(app, call.caller, query))),
  );
  serve(server, createSuppression, ({ caller, request, body: { recipient: text, reason } }) => {
    const recipient = canonicalEmail(text);
    if (!recipient) throw new FieldErrors({ recipient: [EMAIL_MESSAGE] });
    const { account_id } = caller;
    return loggedChange(app, { caller, request, changed: CHANGED }, async (tx, log) => {
      await lockSuppressionsOf(tx, account_id);
      const found = await suppressionOf(tx, app, { account_id, recipient });
      if (found && found.until === null) return found;
      if ((await countAdded(tx, account_id)) >= SUPPRESSIONS_MOST)
        throw new FieldErrors({
          recipient: [`At most ${SUPPRESSIONS_MOST} addresses can be added by hand.`],
        });
      const source = { carrier: null, otp_id: null, detail: null };
      const made = await suppress(tx, app, { account_id, recipient, reason, ...source });
      await log({ action: 'suppression.create', subject: made.recipient, after: { reason } });
      return made;
    });
  });
  serve(server, deleteSuppression, async ({ caller, request, params: { id } }) => {
    const change = { caller, request, changed: CHANGED };
    const { removed, address } = await loggedChange(app, change, async (tx, log) => {
      const row = isUuid(id) ? await deleteSuppressionRow(tx, caller.account_id, id) : undefined;
      if (!row) throw new Failure('not_found');
      const { reason, carrier, detail, created_at, otp_id } = row;
      await log({
        action: 'suppression.delete',
        subject: row.recipient,
        before: { reason, carrier, detail, created_at },
      });
      const sentTo = otp_id ? await app.recipientOf(tx, caller.account_id, otp_id) : undefined;
      return { removed: row, address: sentTo };
    });
    const provider = await askProvider(app, removed, address);
    if (provider)
      await loggedChange(app, change, (_tx, log) =>
        log({ action: 'suppression.provider', subject: removed.recipient, after: { ...provider } }),
      );
    return { provider };
  });
}

/**
 * Asks after the removal, so that no provider can prevent it. The provider's list serves every account, so an account removes only its
 * own mail's bounce there. Null if none has the address on a list of its own.
 */
async function askProvider(
  { carriers }: Providers,
  { carrier: name, reason, is_others_too }: DeletedRow,
  address: string | undefined,
): Promise<Reply<typeof deleteSuppression>['provider']> {
  if (name === null || reason === 'soft_bounces') return null;
  const carrier = carriers.find(name);
  if (!carrier?.unsuppress) return null;
  const notAsked = (detail: string) => ({ carrier: name, outcome: 'not_asked' as const, detail });
  if (reason !== 'hard_bounce' || is_others_too)
    return notAsked(
      `The list at ${name} serves every account, so only an operator removes this address there.`,
    );
  if (address === undefined) return notAsked('The whole address is no longer stored.');
  const { outcome, ...why } = await carrier.unsuppress(address);
  return { carrier: name, outcome, detail: 'detail' in why ? why.detail : null };
}

/** Viewers cannot search for a whole address, because a match would confirm a guess. */
function filterOf(
  app: App,
  caller: { account_id: string; role?: string },
  { search, reason }: Parsed<typeof exportSuppressions, 'query'>,
): Filter {
  const address = caller.role === 'viewer' ? undefined : canonicalEmail(search);
  return {
    account_id: caller.account_id,
    reason: reason ?? null,
    text: containing(search),
    fingerprints: address ? suppressionPrints(app, address) : [],
  };
}

const suppressionExport = (filter: Filter): Exported<Suppression> => ({
  name: 'suppressed-addresses',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'created_at', cell: (row) => row.created_at },
    { header: 'recipient', cell: (row) => row.recipient },
    { header: 'reason', cell: (row) => row.reason },
    { header: 'carrier', cell: (row) => row.carrier },
    { header: 'otp_id', cell: (row) => row.otp_id },
    { header: 'detail', cell: (row) => row.detail },
    { header: 'until', cell: (row) => row.until },
  ],
  part: (tx, below) => selectSuppressionPart(tx, filter, { below, most: PART_ROWS }),
});
