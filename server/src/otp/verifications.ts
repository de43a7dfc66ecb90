import {
  getVerification,
  listVerifications,
  type Verification,
  type VerificationDetail,
} from '#contract/otp.ts';
import type { Parsed } from '#contract/route.ts';
import { keysNamedLike, keysOfMode } from '../api-keys/api-keys.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import { pageOf, recipientPatterns, windowOf } from '../platform/db/page.ts';
import { Failure } from '../platform/http/failure.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/random.ts';
import {
  findVerification,
  selectStatusLogs,
  selectVerifications,
  type VerificationSearch,
} from './verification-queries.ts';

/** The verifications of an account, for the dashboard. */
export function verificationRoutes(server: Server, app: Needs<'db' | 'clock'>): void {
  serve(server, listVerifications, ({ caller, query }) =>
    withinListLimits(app.db, caller.account_id, (db) =>
      verificationsOf({ db, clock: app.clock }, caller.account_id, query),
    ),
  );
  serve(server, getVerification, ({ caller, params }) => verificationOf(app, caller.account_id, params.id));
}

export async function verificationsOf(
  app: Needs<'db' | 'clock'>,
  account_id: string,
  query: Parsed<typeof listVerifications, 'query'>,
): Promise<{ results: Verification[]; count: number }> {
  const { status = null, api_key = null, search, ordering } = query;
  if (api_key !== null && !isUuid(api_key)) return { results: [], count: 0 };
  const filter = {
    account_id,
    ...windowOf(query.created_after, app.clock.now()),
    status,
    api_key_id: api_key,
    mode: await keysOfMode(app, account_id, { mode: query.mode, api_key }),
    search: search === '' ? null : await searchOf(app, account_id, search),
  };
  return selectVerifications(app.db, filter, { ordering, ...pageOf(query) });
}

/** Matches a verification's id, or a part of a recipient or of an API key's name, in any case. */
async function searchOf(app: Needs<'db'>, account_id: string, search: string): Promise<VerificationSearch> {
  return {
    recipients: recipientPatterns(search),
    keys: await keysNamedLike(app, account_id, search),
    id: isUuid(search) ? search : null,
  };
}

/** Throws `not_found` if the verification does not exist or belongs to another account. */
export async function verificationOf(
  app: Needs<'db'>,
  account_id: string,
  id: string,
): Promise<VerificationDetail> {
  const verification = isUuid(id) ? await findVerification(app.db, account_id, id) : undefined;
  if (!verification) throw new Failure('not_found');
  return { ...verification, status_logs: await selectStatusLogs(app.db, account_id, verification.id) };
}
