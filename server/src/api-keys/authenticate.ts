import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { createOverLimit } from '../platform/http/over-limit.ts';
import type { KeyCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { type Batcher, batcher } from '../platform/queue/batcher.ts';
import { queueLimits } from '../platform/queue/queue-limits.ts';
import { keyLooksGenuine } from './key.ts';

/** Requests per second and key, over all processes. */
export const REQUESTS_PER_SECOND = 30;

/** The caller of a public API request, with the account settings that a send needs. */
export interface ApiCaller extends KeyCaller {
  is_suspended: boolean;
  default_otp_length: number;
  default_expiry_seconds: number;
  /** empty: the product's default */
  default_message: string;
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
 * deleted key stops at once, and the rate limit holds over all processes. Only refusals of a key over its limit come from memory.
 */
export function createKeyAuthenticator(app: Needs<'db'>, seen: (api_key_id: string) => void): Gate {
  const lookups: Batcher<Buffer, CountedRequest | undefined> = batcher({
    run: (hashes) => countRequests(app, hashes),
    most: 512,
    concurrency: 2,
    isOutage: isDatabaseUnavailable,
    queueLimits,
  });
  const overLimit = createOverLimit<CountedRequest>();
  return async (request, reply) => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new Failure('missing_api_key');
    if (!keyLooksGenuine(key)) throw new Failure('invalid_api_key');
    const refused = overLimit.find(key);
    const counted = refused ?? (await lookups.submit(createHash('sha256').update(key).digest()));
    if (!counted) throw new Failure('invalid_api_key');
    const { caller, position } = counted;
    request.caller = caller;
    reply.headers({
      'RateLimit-Limit': String(REQUESTS_PER_SECOND),
      'RateLimit-Remaining': String(Math.max(0, REQUESTS_PER_SECOND - position)),
      'RateLimit-Reset': '1',
    });
    seen(caller.api_key_id);
    if (position <= REQUESTS_PER_SECOND) {
      if (caller.is_suspended) throw new Failure('account_suspended');
      return caller;
    }
    if (!refused) overLimit.hold(key, counted);
    await overLimit.turn(caller.account_id);
    throw new Failure('rate_limited', { retry_after: 1 });
  };
}

async function countRequests(app: Needs<'db'>, hashes: Buffer[]): Promise<(CountedRequest | undefined)[]> {
  const rows = await app.db.rows<LiveKeyRow>('select * from admit_callers($1)', [hashes]);
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
