import type { Sql } from '../server/src/db/sql.ts';
import type { Acknowledged } from './recorder.ts';

/** What is in the books and at the carrier, held against what was acknowledged. */
export interface Books {
  /** acknowledged and not there */
  missing: string[];
  /** verified for its caller, and not in the books */
  unverified: string[];
  withoutOneDebit: number;
  /** neither handed to the carrier nor refunded */
  neverHanded: number;
  handedTwice: number;
  handedWithTwoCodes: number;
  /** accounts */
  unbalanced: number;
}

export async function readBooks(
  sql: Sql,
  messages: readonly { id: string; code: string }[],
  told: { acknowledged: Map<string, Acknowledged>; verified: Set<string> },
): Promise<Books> {
  const codes = new Map<string, Set<string>>();
  const times = new Map<string, number>();
  for (const { id, code } of messages) {
    codes.set(id, (codes.get(id) ?? new Set()).add(code));
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  const rows = await sql.rows<{ id: string; status: string; debits: number; refunds: number }>(
    `select v.id, v.status,
       (select count(*) from ledger l where l.reference = 'usage:' || v.id) as debits,
       (select count(*) from ledger l where l.reference = 'refund:' || v.id) as refunds
     from verifications v`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  // Every account began with the same credits (harness/accounts.ts).
  const unbalanced = await sql.rows(
    `select b.account_id from balances b
     where b.credits - b.debt <> 100000000 + (select coalesce(sum(l.credits), 0) from ledger l where l.account_id = b.account_id)`,
  );
  return {
    missing: [...told.acknowledged.keys()].filter((id) => !byId.has(id)),
    unverified: [...told.verified].filter((id) => byId.get(id)?.status !== 'verified'),
    withoutOneDebit: rows.filter(({ debits }) => debits !== 1).length,
    neverHanded: rows.filter(({ id, refunds }) => !times.has(id) && refunds === 0).length,
    handedTwice: [...times.values()].filter((count) => count > 1).length,
    handedWithTwoCodes: [...codes.values()].filter((some) => some.size > 1).length,
    unbalanced: unbalanced.length,
  };
}
