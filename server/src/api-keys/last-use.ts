import type { Sql } from '../platform/db/sql.ts';
import type { ApiCaller } from './admission.ts';
import { updateLastUsed, updateRetiredLastUsed } from './queries.ts';

/** Collects the use of keys, so that it is written in batches, off the request path. */
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

/** Records the last use of keys, to the minute. Call it with batches, off the request path. */
export async function touchKeys(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await updateLastUsed(sql, ids, at);
}
