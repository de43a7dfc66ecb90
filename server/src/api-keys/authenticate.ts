import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiScope } from '#contract/api-keys.ts';
import type { LimitsOfAccounts } from '../account-limits/account-limits.ts';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { createOverLimit } from '../platform/http/over-limit.ts';
import type { KeyCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import { hashOfKey, keyLooksGenuine } from './key.ts';
import { isWithinNetworks } from './networks.ts';

const PACE = { ms: 6, enough: 16 };

/** Requests per second and key, over all processes. */
const REQUESTS_PER_SECOND = 30;

export interface RateLimits {
  accountLimits: Pick<LimitsOfAccounts, 'of'>;
}

/** Of each key of the account: the operator's limit, if there is one. */
export const requestsPerSecond = ({ accountLimits }: RateLimits, account_id: string): number =>
  accountLimits.of(account_id)?.requests_per_second ?? REQUESTS_PER_SECOND;

/** The caller of a public API request, with the settings of its key and those of the account that a send needs. */
export interface ApiCaller extends KeyCaller {
  /** The request has the secret before the last rotation of the key. */
  uses_retired_secret: boolean;
  is_test: boolean;
  scopes: ApiScope[];
  is_expired: boolean;
  /** null: every network */
  allowed_networks: string[] | null;
  is_suspended: boolean;
  default_otp_length: number;
  default_expiry_seconds: number;
  /** empty: the product's defaults */
  default_message: string;
  default_subject: string;
  sender_name: string;
  reply_to_email: string;
}

interface CountedRequest {
  caller: ApiCaller;
  /** position among the key's requests in this second */
  position: number;
}

interface LiveKeyRow {
  hash: Buffer;
  asked: number;
  used: number;
  caller: ApiCaller;
}

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiCaller>;

/**
 * Authenticates API keys without a cache: a batched query per request checks that the key is live and counts the request. So a
 * deleted or changed key stops at once, and the rate limit holds over all processes. Only refusals of a key over its limit come
 * from memory.
 */
export function createKeyAuthenticator(
  app: Needs<'db'> & RateLimits,
  seen: (caller: ApiCaller) => void,
): Gate {
  const lookups: Batcher<Buffer, CountedRequest | undefined> = batcher({
    run: (hashes) => countRequests(app, hashes),
    most: 512,
    concurrency: 2,
    pace: PACE,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });
  const overLimit = createOverLimit<CountedRequest>();
  return async (request, reply) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new Failure('missing_api_key');
    if (!keyLooksGenuine(key)) throw new Failure('invalid_api_key');
    const refused = overLimit.find(key);
    const counted = refused ?? (await lookups.submit(hashOfKey(key)));
    if (!counted) throw new Failure('invalid_api_key');
    const { caller, position } = counted;
    request.caller = caller;
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

export async function countRequests(
  app: Needs<'db'>,
  hashes: Buffer[],
): Promise<(CountedRequest | undefined)[]> {
  const rows = await app.db.reserve.rows<LiveKeyRow>('select * from admit_callers($1)', [hashes]);
  const byHash = new Map(rows.map((row) => [row.hash.toString('latin1'), { row, taken: 0 }]));
  return hashes.map((hash) => {
    const found = byHash.get(hash.toString('latin1'));
    if (!found) return undefined;
    const { row } = found;
    found.taken += 1;
    return {
      // The requests of this batch are the last ones counted.
      position: row.used - row.asked + found.taken,
      caller: row.caller,
    };
  });
}
