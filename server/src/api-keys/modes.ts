import type { ModeFilter } from '@sixdigit/contract/list.ts';
import type { ListFilter } from '../platform/db/list-filter.ts';
import type { Needs } from '../platform/platform.ts';
import { selectTestKeys } from './queries.ts';

/** The rows of a list: those of the account's test keys, or the others; null: all. */
export type KeysOfMode = { test_keys: string[]; are: boolean } | null;

/** Without a mode, a list shows live rows, or with a filter by key the rows of that key. */
export async function keysOfMode(
  { db }: Needs<'db'>,
  account_id: string,
  { mode, api_key }: { mode: ModeFilter; api_key: string | null },
): Promise<KeysOfMode> {
  const chosen = mode ?? (api_key === null ? 'live' : 'all');
  if (chosen === 'all') return null;
  const test_keys = await selectTestKeys(db, account_id);
  if (chosen === 'live' && test_keys.length === 0) return null;
  return { test_keys, are: chosen === 'test' };
}

/** Narrows a list to the rows of a key and a mode. Returns whether it does. */
export function narrowToKeys(
  filter: ListFilter,
  { api_key_id, mode }: { api_key_id: string | null; mode: KeysOfMode },
): boolean {
  if (api_key_id !== null) {
    const its = filter.params.add(api_key_id);
    filter.andColumn('api_key_id', (column) => `${column} = ${its}`);
  }
  if (mode) {
    const keys = `${filter.params.add(mode.test_keys)}::uuid[]`;
    filter.andColumn('api_key_id', (column) =>
      mode.are ? `${column} = any (${keys})` : `${column} <> all (${keys})`,
    );
  }
  return api_key_id !== null || mode !== null;
}
