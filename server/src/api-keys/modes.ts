import type { ModeFilter } from '#contract/list.ts';
import type { Needs } from '../platform/platform.ts';
import { selectTestKeys } from './queries.ts';

/** Which rows a list shows: those of the account's test keys, or the others; null: all. */
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

/** The SQL condition on a column of key ids; undefined if every row matches. `add` returns the name of a parameter. */
export function isOfMode(
  mode: KeysOfMode,
  add: (value: unknown) => string,
): ((column: string) => string) | undefined {
  if (!mode) return undefined;
  const keys = `${add(mode.test_keys)}::uuid[]`;
  return (column) => (mode.are ? `${column} = any (${keys})` : `${column} <> all (${keys})`);
}
