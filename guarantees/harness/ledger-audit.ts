import type { Sql } from '../../server/src/platform/db/sql.ts';
import { FIRST_CREDITS } from './accounts.ts';
import type { Acknowledged } from './recorder.ts';

/** Compares the database and the carrier's messages with what the service acknowledged. */
export interface LedgerAudit {
  /** acknowledged sends without a row */
  missing: string[];
  /** acknowledged verifications whose row is not verified */
  unverified: string[];
  withoutOneDebit: number;
  /** sends that were neither dispatched nor refunded */
  neverDispatched: number;
  dispatchedTwice: number;
  dispatchedWithTwoCodes: number;
  /** accounts whose balance differs from their ledger */
  unbalanced: number;
}

/** Accounts whose balance less their debt differs from their first credits and the sum of their ledger rows. */
export async function countUnbalanced(sql: Sql): Promise<number> {
  const { unbalanced } = await sql.one<{ unbalanced: number }>(
    `select count(*) as unbalanced from balances b
     where b.credits - b.debt <> ${FIRST_CREDITS} +
       coalesce((select sum(l.credits) from ledger l where l.account_id = b.account_id), 0)`,
  );
  return unbalanced;
}

export async function auditLedger(
  sql: Sql,
  messages: readonly { id: string; code: string }[],
  expected: { acknowledged: Map<string, Acknowledged>; verified: Set<string> },
): Promise<LedgerAudit> {
  const codes = new Map<string, Set<string>>();
  const times = new Map<string, number>();
  for (const { id, code } of messages) {
    codes.set(id, (codes.get(id) ?? new Set()).add(code));
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  const rows = await sql.rows<{ id: string; status: string; debits: number; refunds: number }>(
    `select v.id, v.status,
       (select count(*) from ledger l where l.account_id = v.account_id and l.id = v.id and l.kind = 'usage') as debits,
       (select count(*) from ledger l where l.kind = 'refund' and l.reference = 'refund:' || v.id) as refunds
     from verifications v`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    missing: [...expected.acknowledged.keys()].filter((id) => !byId.has(id)),
    unverified: [...expected.verified].filter((id) => byId.get(id)?.status !== 'verified'),
    withoutOneDebit: rows.filter(({ debits }) => debits !== 1).length,
    neverDispatched: rows.filter(({ id, refunds }) => !times.has(id) && refunds === 0).length,
    dispatchedTwice: [...times.values()].filter((count) => count > 1).length,
    dispatchedWithTwoCodes: [...codes.values()].filter((some) => some.size > 1).length,
    unbalanced: await countUnbalanced(sql),
  };
}
