import { pairIn, purposeIn } from '@sixdigit/contract/metadata.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { recipientColumns } from '@sixdigit/contract/text/csv.ts';
import { getUnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import {
  cancelVerification,
  exportVerifications,
  getVerification,
  listVerifications,
  type Verification,
} from '@sixdigit/contract/verifications.ts';
import { listVerificationWebhooks } from '@sixdigit/contract/webhooks.ts';
import { keysNamedLike, keysOfMode } from '../../api-keys/api-keys.ts';
import type { Listed } from '../../platform/db/list.ts';
import { limitsOf, withinListLimits } from '../../platform/db/list-limits.ts';
import {
  endOfWindow,
  pageOf,
  patternsFor,
  type WholeRecipient,
  wholeFor,
  windowOf,
} from '../../platform/db/page.ts';
import { hashesFor } from '../../platform/db/removed-recipients.ts';
import { type Exported, exportCsv, PART_ROWS } from '../../platform/export/export.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { maskedNumbers } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { messagesOfVerification } from '../../webhooks/webhooks.ts';
import { type CancelApp, cancel } from '../cancel.ts';
import { stepsOf } from '../plans/shown.ts';
import { selectResends } from '../state.ts';
import {
  type ExportedVerification,
  findVerification,
  type StoredVerification,
  selectStatusLogs,
  selectVerificationPart,
  selectVerifications,
  type VerificationFilter,
  type VerificationSearch,
} from './queries.ts';
import { unverifiedCostsOf } from './unverified-costs.ts';

/** The verifications of an account, for the dashboard. */
export function verificationRoutes(server: Server, app: CancelApp & Needs<'config' | 'log' | 'vault'>): void {
  serve(server, listVerifications, ({ caller, query, request }) =>
    withinListLimits(
      app.db,
      caller.account_id,
      (db) => verificationsOf({ ...app, db }, caller.account_id, query, wholeFor(caller)),
      limitsOf(query, request),
    ),
  );
  serve(server, exportVerifications, async ({ query, ...call }) => {
    const filter = await filterOf(app, call.caller.account_id, query, wholeFor(call.caller));
    return exportCsv(app, { server, ...call }, verificationExport(filter));
  });
  serve(server, getUnverifiedCosts, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) => unverifiedCostsOf({ db }, caller.account_id, query)),
  );
  serve(server, getVerification, ({ caller, params }) => verificationOf(app, caller.account_id, params.id));
  serve(server, listVerificationWebhooks, ({ caller, params }) =>
    webhooksOfVerification(app, caller.account_id, params.id),
  );
  serve(server, cancelVerification, async ({ caller, params }) => {
    const { account_id, ip_address: ip } = caller;
    if (!isUuid(params.id)) throw new Failure('otp_not_found');
    const otp_id = params.id.toLowerCase();
    await cancel(app, { account_id, otp_id, ip, owner: caller });
    const canceled = await findDetail(app, account_id, otp_id);
    if (!canceled) throw new Failure('otp_not_found');
    return canceled;
  });
}

export async function verificationsOf(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  account_id: string,
  query: Parsed<typeof listVerifications, 'query'>,
  whole?: WholeRecipient,
): Promise<Listed<Verification>> {
  const filter = await filterOf(app, account_id, query, whole);
  if (filter === null) return { results: [], count: 0 };
  return selectVerifications(app.db, filter, {
    ordering: query.ordering,
    count: query.count,
    ...pageOf(query),
  });
}

/** Null if nothing can match. */
export async function filterOf(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  account_id: string,
  query: Parsed<typeof exportVerifications, 'query'>,
  whole?: WholeRecipient,
): Promise<VerificationFilter | null> {
  const { status = null, api_key = null, search } = query;
  if (api_key !== null && !isUuid(api_key)) return null;
  return {
    account_id,
    ...windowOf(query.created_after, app.clock.now()),
    until_id: endOfWindow(query.created_before, app.clock.now()),
    channel: query.channel ?? null,
    country: query.country ?? null,
    carrier: query.carrier ?? null,
    own_code: query.own_code === undefined ? null : query.own_code === 'true',
    status,
    api_key_id: api_key,
    mode: await keysOfMode(app, account_id, { mode: query.mode, api_key }),
    search: search === '' ? null : await searchOf(app, account_id, { search, whole }),
  };
}

/** Matches a verification's id, or a part of a recipient or of an API key's name, in any case. */
async function searchOf(
  app: Needs<'db' | 'config' | 'vault'>,
  account_id: string,
  { search, whole }: { search: string; whole: WholeRecipient },
): Promise<VerificationSearch> {
  // A reader who sees recipients masked could confirm a guess.
  const named = whole === undefined || maskedNumbers(search) === search ? search : '';
  return {
    recipients: patternsFor(search, whole),
    hashes: hashesFor(app, search, whole),
    keys: await keysNamedLike(app, account_id, search),
    id: isUuid(search) ? search : null,
    pair: pairIn(named) ?? null,
    purpose: purposeIn(named) ?? null,
  };
}

/** Throws `not_found` if the verification does not exist or belongs to another account. */
export async function verificationOf(
  app: Needs<'db'>,
  account_id: string,
  id: string,
): Promise<StoredVerification> {
  const verification = isUuid(id) ? await findDetail(app, account_id, id) : undefined;
  if (!verification) throw new Failure('not_found');
  return verification;
}

/** Throws `not_found`. */
export async function webhooksOfVerification(
  app: Needs<'db'>,
  account_id: string,
  id: string,
): Promise<Reply<typeof listVerificationWebhooks>> {
  const otp = await verificationOf(app, account_id, id);
  const changes = otp.status_logs.map(({ changed_at }) => changed_at);
  const times = [...changes, otp.sent_at, otp.delivered_at, otp.verified_at].filter((at) => at !== null);
  return { results: await messagesOfVerification(app.db, { account_id, otp_id: otp.id, times }) };
}

async function findDetail(
  app: Needs<'db'>,
  account_id: string,
  id: string,
): Promise<StoredVerification | undefined> {
  const found = await findVerification(app.db, account_id, id);
  if (!found) return undefined;
  const { planned, closed_by, is_open, ...verification } = found;
  const status_logs = await selectStatusLogs(app.db, account_id, verification.id);
  if (!planned) return { ...verification, status_logs };
  const messages = [
    { ...verification, closed_by },
    ...(await selectResends(app.db, account_id, verification.resends)),
  ];
  const steps = await stepsOf(app.db, account_id, {
    otp_id: verification.id,
    steps: planned,
    messages,
    is_open,
  });
  return { ...verification, status_logs, steps };
}

/** The verifications that match, as CSV. */
const verificationExport = (filter: VerificationFilter | null): Exported<ExportedVerification> => ({
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
    { header: 'own_code', cell: (row) => row.own_code },
    { header: 'outcome', cell: (row) => row.outcome },
    { header: 'metadata', cell: (row) => row.metadata },
    { header: 'purpose', cell: (row) => row.purpose },
    { header: 'resend_of', cell: (row) => row.resend_of },
    { header: 'language', cell: (row) => row.language },
    { header: 'template', cell: (row) => row.template },
  ],
  part: async (tx, below) =>
    filter ? selectVerificationPart(tx, filter, { below, most: PART_ROWS }) : { rows: [], next: null },
});
