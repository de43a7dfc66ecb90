import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { createOverLimit } from '../platform/http/over-limit.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import type { LimitsOfAccounts } from '../settings/account-limits/account-limits.ts';
import { type ApiCaller, type AskedKey, type CountedRequest, countRequests } from './admission.ts';
import { keyLooksGenuine } from './key.ts';
import { knownKeys } from './known-keys.ts';
import { isWithinNetworks } from './networks.ts';

/** Also paces sends and verifies, whose batches begin as these end. A batch of one costs as much as eight items of a large one. */
const PACE = { ms: 10, enough: 16 };

/** Requests per second and key, over all processes. */
const REQUESTS_PER_SECOND = 30;

export interface RateLimits {
  accountLimits: Pick<LimitsOfAccounts, 'of'>;
}

/** Of each key of the account: the operator's limit, if there is one. */
export const requestsPerSecond = ({ accountLimits }: RateLimits, account_id: string): number =>
  accountLimits.of(account_id)?.requests_per_second ?? REQUESTS_PER_SECOND;

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiCaller>;

/**
 * Authenticates API keys without a cache: for each request, the database checks that the key is live and counts the request. So a
 * deleted or changed key stops at once, and the rate limit holds over all processes. Only refusals of a key over its limit come
 * from memory.
 */
export function createKeyAuthenticator(
  app: Needs<'db'> & RateLimits,
  seen: (caller: ApiCaller) => void,
): Gate {
  const lookups: Batcher<AskedKey, CountedRequest | undefined> = batcher({
    run: (asked) => countRequests(app.db.reserve, asked),
    most: 512,
    concurrency: 2,
    pace: PACE,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });
  const overLimit = createOverLimit<CountedRequest>();
  const keys = knownKeys();

  return async (request, reply) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new Failure('missing_api_key');
    if (!keyLooksGenuine(key)) throw new Failure('invalid_api_key');
    const refused = overLimit.find(key);
    const counted = refused ?? (await lookups.submit(keys.find(key)));
    if (!counted) {
      keys.forget(key);
      throw new Failure('invalid_api_key');
    }
    const { caller, position } = counted;
    request.caller = caller;
    keys.note(key, counted);
    const most = requestsPerSecond(app, caller.account_id);
    reply.headers({
      'RateLimit-Limit': String(most),
      'RateLimit-Remaining': String(Math.max(0, most - position)),
      'RateLimit-Reset': '1',
    });
    seen(caller);
    if (position <= most) {
      const refusal = refusalOf(caller, request);
      if (refusal) throw refusal;
      return caller;
    }
    if (!refused) overLimit.hold(key, counted);
    if (!(await overLimit.turn(caller.account_id))) reply.header('Connection', 'close');
    throw new Failure('rate_limited', { retry_after: 1 });
  };
}

/** Why a live key may not make this call. The request log shows these refusals to the owner of the key. */
function refusalOf(
  caller: ApiCaller,
  { ip, route }: Pick<FastifyRequest, 'ip' | 'route'>,
): Failure | undefined {
  if (caller.is_suspended) return new Failure('account_suspended');
  if (caller.is_expired) return new Failure('api_key_expired');
  if (caller.allowed_networks && !isWithinNetworks(ip, caller.allowed_networks))
    return new Failure('network_not_allowed');
  const scope = route?.scope;
  if (scope && !caller.scopes.includes(scope))
    return new Failure('missing_scope', { error: `API key lacks the scope ${scope}`, scope });
  return undefined;
}
