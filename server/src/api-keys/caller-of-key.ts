import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { type ApiCaller, countRequests } from './admission.ts';
import { type RateLimits, requestsPerSecond } from './authenticate.ts';
import { findKeyHash } from './queries.ts';

/**
 * A key of an account as the caller of a request, found by its id instead of its secret. The request counts against its rate limit.
 * Its networks do not apply, because the request comes from a browser. Throws `not_found` for another account's key.
 */
export async function callerOfKey(
  app: Needs<'db'> & RateLimits,
  account_id: string,
  id: string,
  scope: ApiScope,
): Promise<ApiCaller> {
  const hash = isUuid(id) ? await findKeyHash(app.db, account_id, id) : undefined;
  const [counted] = hash ? await countRequests(app.db.reserve, [{ hash, known: undefined }]) : [];
  if (!counted) throw new Failure('not_found');
  const { caller, position } = counted;
  if (position > requestsPerSecond(app, account_id)) throw new Failure('rate_limited', { retry_after: 1 });
  if (caller.is_suspended) throw new Failure('account_suspended');
  if (caller.is_expired) throw new Failure('api_key_expired');
  if (!caller.scopes.includes(scope))
    throw new Failure('missing_scope', { error: `API key lacks the scope ${scope}`, scope });
  return caller;
}

/** What a send of an account with a live key would use, for a question without a key. */
export const programOf = async (sql: Queryable, account_id: string) => ({
  ...(await sql.one<
    Pick<
      ApiCaller,
      | 'default_otp_length'
      | 'default_expiry_seconds'
      | 'default_message'
      | 'default_subject'
      | 'sender_name'
      | 'reply_to_email'
    >
  >('select * from send_defaults($1)', [account_id])),
  account_id,
  api_key_id: '',
  is_test: false,
});
