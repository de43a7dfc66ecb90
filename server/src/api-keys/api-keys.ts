import { API_KEYS_MAX, type ApiKey, type listApiKeys, type NewApiKey } from '#contract/api-keys.ts';
import type { Parsed } from '#contract/route.ts';
import { containing, pageOf } from '../platform/db/page.ts';
import { likeLiteral, type Sql, type Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/random.ts';
import { hashOfKey, newKeyText, prefixOfKey } from './key.ts';
import {
  countForLimits,
  countKeys,
  insertKey,
  lockKeysOf,
  markKeyDeleted,
  markKeysOfAccountDeleted,
  selectKeys,
  selectKeysNamed,
  updateLastUsed,
} from './queries.ts';

export { type ApiCaller, createKeyAuthenticator } from './authenticate.ts';
export { hashOfKey, keyLooksGenuine, newKeyText, prefixOfKey } from './key.ts';

/** The rows of deleted keys stay, so the number of created keys is limited too. */
const CREATED_A_DAY = 300;

/** API keys: shown once and stored as a hash. A deleted key stops at once; its row and name stay for the history. */
export async function createKey(
  app: Needs<'random'>,
  tx: Tx,
  { account_id, name }: { account_id: string; name: string },
): Promise<NewApiKey> {
  await lockKeysOf(tx, account_id);
  const { live, today } = await countForLimits(tx, account_id);
  if (live >= API_KEYS_MAX) throw new Failure('api_key_limit_reached');
  if (today >= CREATED_A_DAY) throw new Failure('too_many_requests', { retry_after: 3_600 });
  const key = newKeyText(app.random);
  const row = await insertKey(tx, {
    id: app.random.uuid(),
    account_id,
    name,
    prefix: prefixOfKey(key),
    hash: hashOfKey(key),
  });
  return { ...row, key };
}

export async function listKeys(
  app: Needs<'db'>,
  account_id: string,
  query: Parsed<typeof listApiKeys, 'query'>,
): Promise<{ results: ApiKey[]; count: number }> {
  const name = containing(query.search);
  const [results, count] = await Promise.all([
    selectKeys(app.db, account_id, { name, ordering: query.ordering, ...pageOf(query) }),
    countKeys(app.db, account_id, name),
  ]);
  return { results, count };
}

/**
 * Keys, including deleted ones, whose name contains a text in any case: as ids, or, above `IDS_MOST`, as a pattern to join with.
 */
export type KeysNamed = { ids: string[] } | { pattern: string };

/** With few ids the planner can use indexes; above this, the search joins the keys by pattern. */
const IDS_MOST = 100;

export async function keysNamedLike(
  { db }: Needs<'db'>,
  account_id: string,
  text: string,
): Promise<KeysNamed> {
  const pattern = `%${likeLiteral(text)}%`;
  const ids = await selectKeysNamed(db, account_id, { pattern, most: IDS_MOST + 1 });
  return ids.length <= IDS_MOST ? { ids } : { pattern };
}

/** The SQL condition that a row's key matches; undefined if no key does. `add` returns the name of a parameter. */
export function isKeyNamed(
  keys: KeysNamed,
  { key, account_id, add }: { key: string; account_id: string; add: (value: unknown) => string },
): string | undefined {
  if ('pattern' in keys)
    return `${key} in (select k.id from api_keys k where k.account_id = ${account_id} and k.name ilike ${add(keys.pattern)})`;
  return keys.ids.length > 0 ? `${key} = any (${add(keys.ids)}::uuid[])` : undefined;
}

/** Throws `not_found` if the key does not exist or belongs to another account. */
export async function deleteKey(app: Needs<'db'>, account_id: string, id: string): Promise<void> {
  if (!isUuid(id) || (await markKeyDeleted(app.db, account_id, id)) === 0) throw new Failure('not_found');
}

/** Revokes all keys of an account that is being deleted, and erases their names. */
export const revokeKeysOf = (tx: Tx, account_id: string): Promise<number> =>
  markKeysOfAccountDeleted(tx, account_id);

/** Records the last use of keys, to the minute. Call it with batches, off the request path. */
export async function touchKeys(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await updateLastUsed(sql, ids, at);
}
