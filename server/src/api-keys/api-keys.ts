import type { ApiKey, listApiKeys, NewApiKey } from '#contract/api-keys.ts';
import type { Parsed } from '#contract/route.ts';
import { containing, pageOf } from '../db/page.ts';
import { likeLiteral, type Sql } from '../db/sql.ts';
import type { Needs } from '../ground.ts';
import { Failure } from '../http/failure.ts';
import { isUuid } from '../random.ts';
import { hashOfKey, newKeyText, prefixOfKey } from './key.ts';
import {
  countKeys,
  insertKey,
  markKeyDeleted,
  markKeysOfAccountDeleted,
  selectKeys,
  selectKeysNamed,
  updateLastUsed,
} from './queries.ts';

export { hashOfKey, keyLooksGenuine, newKeyText, prefixOfKey } from './key.ts';

/**
 * API keys: shown once and stored as a hash, so that nobody can read one back. A deleted key stops working at once, but
 * its row and name stay for the history.
 */
export async function createKey(
  app: Needs<'random'>,
  sql: Sql,
  { account_id, name }: { account_id: string; name: string },
): Promise<NewApiKey> {
  const key = newKeyText(app.random);
  const row = await insertKey(sql, {
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

/** Ids of the keys, deleted ones too, whose name contains this text in any case. */
export const keysNamedLike = async (
  { db }: Needs<'db'>,
  account_id: string,
  text: string,
): Promise<string[]> => selectKeysNamed(db, account_id, `%${likeLiteral(text)}%`);

/** Throws `not_found` for another account's key as for none. */
export async function deleteKey(app: Needs<'db'>, account_id: string, id: string): Promise<void> {
  if (!isUuid(id) || (await markKeyDeleted(app.db, account_id, id)) === 0) throw new Failure('not_found');
}

/** All of an account that is being deleted, names included. */
export const revokeKeysOf = (tx: Sql, account_id: string): Promise<number> =>
  markKeysOfAccountDeleted(tx, account_id);

/** Notes that keys were used, to the minute: call it with many at a time, off the request path. */
export async function touchKeys(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await updateLastUsed(sql, ids, at);
}
