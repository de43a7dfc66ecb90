import type { AuditAction, AuditActor } from '@sixdigit/contract/audit.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import type { Values } from './values.ts';

interface NewEntry {
  id: string;
  account_id: string;
  actor: AuditActor;
  action: AuditAction;
  subject: string;
  before: Values | null;
  after: Values | null;
  ip_address: string | null;
  user_agent: string | null;
}

export const insertEntry = (tx: Tx, entry: NewEntry): Promise<number> =>
  tx.run(
    `insert into audit_entries (id, account_id, created_at, actor, action, subject, before, after, ip_address, user_agent)
     values ($1, $2, clock_now(), $3, $4, $5, $6, $7, $8, $9)`,
    [
      entry.id,
      entry.account_id,
      entry.actor,
      entry.action,
      entry.subject,
      entry.before === null ? null : JSON.stringify(entry.before),
      entry.after === null ? null : JSON.stringify(entry.after),
      entry.ip_address,
      entry.user_agent,
    ],
  );

export const removeOldEntries = async (
  tx: Tx,
  { days, most }: { days: number; most: number },
): Promise<number> =>
  (await tx.one<{ removed: number }>('select remove_old_audit_entries($1, $2) as removed', [days, most]))
    .removed;

/** Removes the entries of a deleted account but that of its deletion. Returns the number of removed rows. */
export const eraseAuditEntries = async (
  sql: Sql,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> =>
  (await sql.one<{ removed: number }>('select erase_audit_entries($1, $2) as removed', [account_id, most]))
    .removed;
