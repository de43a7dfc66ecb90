import type { Tx } from '../src/platform/db/sql.ts';

/** How many rows of each table `work` reads. */
export async function rowsReadBy(tx: Tx, work: () => Promise<unknown>): Promise<Map<string, number>> {
  const before = await rowsRead(tx);
  await work();
  const after = await rowsRead(tx);
  return new Map([...after].map(([table, n]) => [table, n - (before.get(table) ?? 0)]));
}

/** The rows that this connection has read lately, by table. */
const rowsRead = async (tx: Tx): Promise<Map<string, number>> => {
  const rows = await tx.rows<{ table: string; n: number }>(
    `select relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as n from pg_stat_xact_user_tables`,
  );
  return new Map(rows.map(({ table, n }) => [table, n]));
};
