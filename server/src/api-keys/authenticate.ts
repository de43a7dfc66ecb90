import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import { KEY_REQUESTS_PER_SECOND } from '@sixdigit/contract/operator/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { createOverLimit } from '../platform/http/over-limit.ts';
import { limitSize } from '../platform/limit-size.ts';
import type { Needs } from '../platform/platform.ts';
import { lookupBatcher } from '../platform/queue/batcher.ts';
import { isUuid } from '../platform/security/random.ts';
import type { LimitsOfAccounts } from '../settings/account-limits/account-limits.ts';
import {
  type ApiCaller,
  type AskedKey,
  type CountedRequest,
  countRequests,
  type KnownCaller,
} from './admission.ts';
import { hashOfKey, keyLooksGenuine } from './key.ts';
import {
  findKeyHash,
  findSendSettings,
  selectUsableKeys,
  updateLastUsed,
  updateRetiredLastUsed,
} from './queries.ts';

/**
 * Also paces sends and verifies, because their batches start when these lookups finish. A batch of one costs as much as eight
 * items in a large batch.
 */
const PACE = { ms: 10, enough: 16 };

export interface RateLimits {
  accountLimits: Pick<LimitsOfAccounts, 'of'>;
}

/** The request rate allowed for each of the account's keys, across all processes: the operator's limit, or else the default. */
export const requestsPerSecond = ({ accountLimits }: RateLimits, account_id: string): number =>
  accountLimits.of(account_id)?.requests_per_second ?? KEY_REQUESTS_PER_SECOND;

export interface KeyAdmission {
  /** Authenticates the key in the header `X-API-Key`. */
  byText(request: FastifyRequest, reply: FastifyReply): Promise<ApiCaller>;
  /** Admits a request whose caller has proven otherwise that it may use the key with this hash. */
  byHash(hash: Buffer, request: FastifyRequest, reply: FastifyReply): Promise<ApiCaller>;
}

/**
 * Authenticates API keys without a cache: for each request, the database checks that the key is live and counts the request.
 * Deleting or changing a key therefore takes effect immediately, and the rate limit holds across all processes. Only refusals
 * of a key that is over its limit come from memory.
 */
export function createKeyAdmission(
  app: Needs<'db'> & RateLimits,
  seen: (caller: ApiCaller) => void,
): KeyAdmission {
  const lookups = lookupBatcher((asked: AskedKey[]) => countRequests(app.db.reserve, asked), { pace: PACE });
  const overLimit = createOverLimit<CountedRequest>();
  const keys = knownKeys();

  const admit = async (
    key: string,
    hash: Buffer | undefined,
    [request, reply]: [FastifyRequest, FastifyReply],
  ): Promise<ApiCaller> => {
    const refused = overLimit.find(key);
    const counted = refused ?? (await lookups.submit(keys.find(key, hash)));
    if (!counted) throw new Failure('invalid_api_key');
    const { caller, position } = counted;
    request.caller = caller;
    keys.note(key, hash, counted);
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

  return {
    async byText(request, reply) {
      const key = request.headers['x-api-key'];
      if (typeof key !== 'string' || key === '') throw new Failure('missing_api_key');
      if (!keyLooksGenuine(key)) throw new Failure('invalid_api_key');
      return admit(key, undefined, [request, reply]);
    },
    byHash: (hash, request, reply) => admit(hash.toString('hex'), hash, [request, reply]),
  };
}

/** Returns the reason why a live key may not make this call. The request log shows it to the key's owner. */
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

/** Whether an address lies in one of these networks (CIDR). An IPv4 address mapped to IPv6 counts as IPv4. */
function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const own = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    if (own instanceof ipaddr.IPv4) return range instanceof ipaddr.IPv4 && own.match(range, bits);
    return range instanceof ipaddr.IPv6 && own.match(range, bits);
  });
}

/** The use of a key that lasts longer than its request. */
export interface LastingUse {
  /** of the secret */
  hash: Buffer;
  ip: string;
  scope: ApiScope;
}

/** Which of these uses a new request could still begin. Counts no requests. */
export async function stillUsable(sql: Sql, uses: readonly LastingUse[]): Promise<boolean[]> {
  const keys = new Map(
    (await selectUsableKeys(sql, [...new Set(uses.map(({ hash }) => hash))])).map((key) => [
      key.hash.toString('hex'),
      key,
    ]),
  );
  return uses.map(({ hash, ip, scope }) => {
    const key = keys.get(hash.toString('hex'));
    if (!key?.scopes.includes(scope)) return false;
    return !key.allowed_networks || isWithinNetworks(ip, key.allowed_networks);
  });
}

/**
 * Recently used keys, each with its caller as last read from the database. An entry alone never admits a request: the database
 * revalidates it each time.
 */
interface KnownKeys {
  /** Without a hash, that of the text. */
  find(key: string, hash?: Buffer): AskedKey;
  note(key: string, hash: Buffer | undefined, caller: KnownCaller): void;
}

/** Bounds memory. The oldest entries are dropped first. */
const KEYS_MAX = 10_000;

function knownKeys(): KnownKeys {
  const keys = new Map<string, AskedKey>();
  return {
    find: (key, hash) => keys.get(key) ?? { hash: hash ?? hashOfKey(key), known: undefined },
    note(key, hash, { version, caller }) {
      const before = keys.get(key);
      if (before?.known?.version === version) return;
      keys.set(key, { hash: before?.hash ?? hash ?? hashOfKey(key), known: { version, caller } });
      limitSize(keys, KEYS_MAX);
    },
  };
}

/**
 * Returns the caller for one of the account's keys, looked up by id instead of by secret. The request counts against the key's
 * rate limit. The key's allowed networks do not apply, because the request comes from a browser. Throws `not_found` for another
 * account's key.
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

/** What a send takes from its account. */
export type SendSettings = Required<
  Pick<
    ApiCaller,
    | 'default_otp_length'
    | 'default_expiry_seconds'
    | 'default_message'
    | 'default_subject'
    | 'default_language'
    | 'language_by_country'
    | 'sender_name'
    | 'reply_to_email'
  >
>;

/** The settings that a send with one of the account's live keys would use, for checks made without a key. */
export const programOf = async (sql: Queryable, account_id: string) => ({
  ...(await sql.one<{ settings: SendSettings }>('select send_settings($1) as settings', [account_id]))
    .settings,
  account_id,
  api_key_id: '',
  is_test: false,
});

/** What a message of an accepted send needs, if its key could still send. Counts no request. */
export async function laterProgramOf(
  sql: Queryable,
  account_id: string,
  api_key_id: string,
  is_test: boolean,
) {
  const settings = await findSendSettings<SendSettings>(sql, account_id, api_key_id);
  return settings && { ...settings, account_id, api_key_id, is_test };
}

/** Collects key usage so that it is written in batches, off the request path. */
export function createLastUse(): { seen(caller: ApiCaller): void; write(sql: Sql, at: Date): Promise<void> } {
  const current = new Set<string>();
  const retired = new Set<string>();
  return {
    seen({ api_key_id, uses_retired_secret }) {
      (uses_retired_secret ? retired : current).add(api_key_id);
    },
    async write(sql, at) {
      const [used, usedRetired] = [[...current], [...retired]];
      current.clear();
      retired.clear();
      await touchKeys(sql, used, at);
      if (usedRetired.length > 0) await updateRetiredLastUsed(sql, usedRetired, at);
    },
  };
}

/** Records when keys were last used, to the minute. Call it in batches, off the request path. */
export async function touchKeys(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await updateLastUsed(sql, ids, at);
}
