import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitsOfAccounts } from '../account-limits/account-limits.ts';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { createOverLimit } from '../platform/http/over-limit.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import {
  type Admission,
  type ApiCaller,
  type AskedKey,
  type CountedRequest,
  countRequests,
  type KnownCaller,
  type PendingKey,
} from './admission.ts';
import { keyLooksGenuine } from './key.ts';
import { knownKeys } from './known-keys.ts';
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

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiCaller>;

/**
 * Authenticates API keys without a cache: for each request, the database checks that the key is live and counts the request. So a
 * deleted or changed key stops at once, and the rate limit holds over all processes. Only refusals of a key over its limit come
 * from memory.
 */
export function createKeyAuthenticator(
  app: Needs<'db'> & RateLimits,
  seen: (caller: ApiCaller) => void,
  startsAtOnce: (route: string) => boolean,
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

  /** Notes a counted request of a live key, and tells its caller the limit. */
  const note = (request: FastifyRequest, reply: FastifyReply, { key, counted }: Found): number => {
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
    return most;
  };

  const settle = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { key, counted, isHeld = false }: { key: string; counted: CountedRequest | undefined; isHeld?: boolean },
  ): Promise<ApiCaller> => {
    if (!counted) {
      keys.forget(key);
      request.caller = null;
      throw new Failure('invalid_api_key');
    }
    const { caller, position } = counted;
    const most = note(request, reply, { key, counted });
    if (position <= most) {
      const refusal = refusalOf(caller, request);
      if (refusal) throw refusal;
      return caller;
    }
    if (!isHeld) overLimit.hold(key, counted);
    if (!(await overLimit.turn(caller.account_id))) reply.header('Connection', 'close');
    throw new Failure('rate_limited', { retry_after: 1 });
  };

  const pendingKey = (
    request: FastifyRequest,
    reply: FastifyReply,
    { key, hash, known }: { key: string; hash: Buffer; known: KnownCaller },
  ): PendingKey => {
    const admission: Admission = { hash, known, most: requestsPerSecond(app, known.caller.account_id) };
    return {
      admission,
      isSubmitted: false,
      async settle() {
        request.pending = null;
        // If the database is unavailable, the key stays unconfirmed.
        request.caller = null;
        const counted =
          admission.counted === undefined ? await lookups.submit({ hash, known }) : admission.counted;
        const caller = await settle(request, reply, { key, counted: counted ?? undefined });
        return { caller, hasChanged: counted?.version !== known.version };
      },
      decided() {
        request.pending = null;
        if (admission.counted) note(request, reply, { key, counted: admission.counted });
      },
    };
  };

  return async (request, reply) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new Failure('missing_api_key');
    if (!keyLooksGenuine(key)) throw new Failure('invalid_api_key');
    const held = overLimit.find(key);
    if (held) return settle(request, reply, { key, counted: held, isHeld: true });
    const { hash, known } = keys.find(key);
    // While a batch is in flight, the request would wait for it: it is authenticated meanwhile.
    if (known && startsAtOnce(request.route?.name ?? '') && !refusalOf(known.caller, request)) {
      request.pending = pendingKey(request, reply, { key, hash, known });
      return known.caller;
    }
    return settle(request, reply, { key, counted: await lookups.submit({ hash, known }) });
  };
}

interface Found {
  key: string;
  counted: CountedRequest;
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
