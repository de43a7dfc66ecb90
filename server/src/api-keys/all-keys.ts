import type { Queryable } from '../platform/db/sql.ts';
import { hashOfKey, prefixOfKey } from './key.ts';

/** Queries over the API keys of all accounts, for operators. */
export const lastUsesOf = async (
  sql: Queryable,
  account_ids: readonly string[],
): Promise<Map<string, string>> =>
  new Map(
    (
      await sql.rows<{ account_id: string; at: string | null }>(
        'select account_id, max(last_used_at) as at from api_keys where account_id = any ($1) group by account_id',
        [account_ids],
      )
    ).flatMap(({ account_id, at }) => (at === null ? [] : [[account_id, at]])),
  );

/** The ids of these accounts' test keys, including deleted ones. */
export const testKeysOf = async (sql: Queryable, account_ids: readonly string[]): Promise<string[]> =>
  (
    await sql.rows<{ id: string }>(`select id from api_keys where account_id = any ($1) and mode = 'test'`, [
      account_ids,
    ])
  ).map(({ id }) => id);

/** Keys from before `CELL` have a prefix of 12 characters. */
const EARLIER_PREFIX = 12;

/** Finds the accounts that own a key, by its id, full text or prefix. */
export async function accountsOfKey(
  sql: Queryable,
  { id, text }: { id: string | null; text: string },
): Promise<string[]> {
  const isPrefix = text.length >= EARLIER_PREFIX && text.startsWith('sd_');
  const prefixes = isPrefix ? [prefixOfKey(text), text.slice(0, EARLIER_PREFIX)] : [];
  const rows = await sql.rows<{ account_id: string }>(
    'select distinct account_id from api_keys where id = $1 or hash = $2 or prefix = any ($3)',
    [id, hashOfKey(text), prefixes],
  );
  return rows.map(({ account_id }) => account_id);
}
