import type { Sql } from '../src/platform/db/sql.ts';

export interface DumpedRow {
  table: string;
  /** the row as PostgreSQL prints it: `bytea` in hex, everything else as text */
  text: string;
}

/** Every row of every table in the catalog, or only those of one account. */
export async function dumpTables(sql: Sql, accountId?: string): Promise<DumpedRow[]> {
  const tables = await sql.rows<{ name: string; is_owned: boolean }>(
    `select c.relname as name, exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
       ) as is_owned
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
  );
  const rows: DumpedRow[] = [];
  for (const { name, is_owned } of tables) {
    const column = name === 'accounts' ? 'id' : 'account_id';
    if (accountId !== undefined && !is_owned && name !== 'accounts') continue;
    const found = await sql.rows<{ text: string }>(
      `select t::text as text from public."${name}" t where $1::uuid is null or ${
        accountId === undefined ? 'true' : `t.${column} = $1`
      } order by 1`,
      [accountId ?? null],
    );
    rows.push(...found.map(({ text }) => ({ table: name, text })));
  }
  return rows;
}
