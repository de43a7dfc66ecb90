import type { Queryable } from '../platform/db/sql.ts';

/** The addresses of accounts, by id. Deleted accounts have none. */
export async function emailsOf(
  sql: Queryable,
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const asked = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (asked.length === 0) return new Map();
  const rows = await sql.rows<{ id: string; email: string }>(
    'select id, email from accounts where id = any ($1) and email is not null',
    [asked],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}
