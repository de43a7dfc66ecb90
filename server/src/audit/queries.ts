import type { AuditAction, AuditActor } from '@sixdigit/contract/audit.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';

export interface EntryValues {
  actor: AuditActor;
  action: AuditAction;
  subject: string;
  before: Values | null;
  after: Values | null;
  ip_address: string | null;
  user_agent: string | null;
}

type NewEntry = EntryValues & { id: string; account_id: string; person_id: string | null };

const COLUMNS =
  'id, account_id, person_id, created_at, actor, action, subject, before, after, ip_address, user_agent';

const paramsOf = (entry: EntryValues): unknown[] => [
  entry.actor,
  entry.action,
  entry.subject,
  entry.before === null ? null : JSON.stringify(entry.before),
  entry.after === null ? null : JSON.stringify(entry.after),
  entry.ip_address,
  entry.user_agent,
];

export const insertEntry = (tx: Tx, entry: NewEntry): Promise<number> =>
  tx.run(
    `insert into audit_entries (${COLUMNS}) values ($8, $9, $10, clock_now(), $1, $2, $3, $4, $5, $6, $7)`,
    [...paramsOf(entry), entry.id, entry.account_id, entry.person_id],
  );

/** The entry of the person's first account has the id of `entry`, in the order of all ids that this process makes. */
export const insertEntryOfPerson = (
  tx: Tx,
  entry: EntryValues & { id: string; person_id: string },
): Promise<number> =>
  tx.run(
    `insert into audit_entries (${COLUMNS})
     select case when row_number() over (order by account_id <> person_id, joined_at, account_id) = 1 then $9 else new_uuid() end,
       account_id, person_id, clock_now(), $1, $2, $3, $4, $5, $6, $7
     from memberships where person_id = $8`,
    [...paramsOf(entry), entry.person_id, entry.id],
  );

export const removeOldEntries = async (
  tx: Tx,
  { days, most }: { days: number; most: number },
): Promise<number> =>
  (await tx.one<{ removed: number }>('select remove_old_audit_entries($1, $2) as removed', [days, most]))
    .removed;

/** Deletes a deleted account's entries, except the one that records the deletion. Returns the number of deleted rows. */
export const eraseAuditEntries = async (
  sql: Sql,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> =>
  (await sql.one<{ removed: number }>('select erase_audit_entries($1, $2) as removed', [account_id, most]))
    .removed;

/** Values before or after a change. */
export type Values = Record<string, unknown>;

const SECRET_NAME = /(secret|password|token|hash|credential|^key$|^code$|private)/i;
/** Matches whole secrets. The first characters of an API key, by which its owner recognizes it, are too short to match. */
const SECRET_VALUE = /^(sd_(live|test|operator)_\w{7,}|whsec_)/;

/** Removes secrets at any depth. Callers choose which fields they record; this is a second line of defense. */
export function withoutSecrets(values: Values | undefined): Values | null {
  if (values === undefined) return null;
  return cleaned(values) as Values;
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value === 'string') return SECRET_VALUE.test(value) ? '[secret]' : withoutUrlSecrets(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET_NAME.test(name))
      .map(([name, one]) => [name, cleaned(one)]),
  );
}

/** URLs often carry a token in their query or user name. */
function withoutUrlSecrets(text: string): string {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.search === '' && url.username === '' && url.password === '')) return text;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

/** The named fields that differ; undefined if none does, in which case there is nothing to record. */
export function changesBetween<T extends object>(
  before: T,
  after: T,
  fields: readonly (keyof T & string)[],
): { before: Values; after: Values } | undefined {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return undefined;
  const of = (values: T): Values =>
    Object.fromEntries(changed.map((field) => [field, values[field] ?? null]));
  return { before: of(before), after: of(after) };
}
