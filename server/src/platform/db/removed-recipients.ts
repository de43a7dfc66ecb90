import { recipientOf } from '../addresses/recipient.ts';
import type { Needs } from '../platform.ts';
import type { Vault } from '../security/vault.ts';
import { ERASED } from './erasure.ts';
import { findFact, setFact } from './facts.ts';
import type { WholeRecipient } from './page.ts';
import type { Queryable, Tx } from './sql.ts';

/**
 * After RECIPIENT_RETENTION_DAYS, rows keep only a keyed hash of their recipient. Lists show `REMOVED`, and a search for the
 * whole recipient still finds the row.
 */
export const REMOVED = '[removed]';

const PURPOSE = 'removed-recipient';
const HASH_BYTES = 16;
const short = (fingerprint: Buffer): Buffer => fingerprint.subarray(0, HASH_BYTES);

/** The hashes that rows may have of a recipient: under the current server key and the previous ones. */
export const hashesOf = (vault: Vault, recipient: string): Buffer[] =>
  vault.fingerprints(PURPOSE, recipient).map(short);

/** The hashes for a search. Empty if it is not for a whole recipient. */
export function hashesFor(
  { config, vault }: Needs<'config' | 'vault'>,
  search: string,
  whole: WholeRecipient,
): Buffer[] {
  const recipient = whole === undefined ? recipientOf(config, search) : whole;
  return recipient ? hashesOf(vault, recipient) : [];
}

/** A partitioned table whose rows name a recipient in `recipient`, with a hash in `recipient_hash`. */
export interface RecipientTable {
  table: string;
  /** columns that may name the row's recipient as well, such as a carrier's failure */
  texts: readonly string[];
  /** columns that become null */
  emptied?: readonly string[];
  /** a table whose texts may name the recipient of the row with this id */
  notes?: { table: string; id: string; column: string };
}

interface Row {
  account_id: string;
  id: string;
  recipient: string;
  [text: string]: string | null;
}

const MINUTE_MS = 60_000;
const SHORTEST_MS = 1_000;
/** Bounds the statements of one batch, of which most find nothing. */
const PROBES = 100;

const factOf = (table: string): string => `recipients removed from ${table}`;

/** Makes the next round start from the oldest row, for a caller that inserts old rows. */
export const restartRemoval = (tx: Tx): Promise<number> =>
  tx.run(`delete from service_facts where name like 'recipients removed from %'`);

interface Removal {
  vault: Vault;
  /** the time of the first row that keeps its recipient */
  before: string;
  most: number;
  /** A text without the recipient. */
  redact(recipient: string, text: string): string;
}

/**
 * Removes the recipients of up to `most` rows. A stored time separates finished rows from the others, so no row is read
 * again later and no index is needed. Returns false if all rows before the limit are finished.
 */
export async function removeRecipients(tx: Tx, from: RecipientTable, removal: Removal): Promise<boolean> {
  const limitMs = Date.parse(removal.before);
  let fromMs = Date.parse((await findFact(tx, factOf(from.table)))?.value ?? new Date(0).toISOString());
  let spanMs = MINUTE_MS;
  let isBatch = false;
  for (let probe = 0; probe < PROBES && fromMs < limitMs && !isBatch; probe += 1) {
    const untilMs = Math.min(fromMs + spanMs, limitMs);
    const rows = await selectNamed(tx, from, { fromMs, untilMs, most: removal.most + 1 });
    const isFull = rows.length > removal.most;
    if (isFull && spanMs > SHORTEST_MS) {
      spanMs = Math.max(SHORTEST_MS, Math.floor(spanMs / 2));
      continue;
    }
    if (rows.length > 0) await removeFrom(tx, from, rows.slice(0, removal.most), removal);
    isBatch = rows.length > removal.most / 2;
    if (!isFull) {
      fromMs = untilMs;
      spanMs *= 2;
    }
  }
  await setFact(tx, factOf(from.table), new Date(fromMs).toISOString());
  return fromMs < limitMs;
}

const selectNamed = (
  sql: Queryable,
  { table, texts }: RecipientTable,
  { fromMs, untilMs, most }: { fromMs: number; untilMs: number; most: number },
): Promise<Row[]> =>
  sql.rows<Row>(
    `select ${['account_id', 'id', 'recipient', ...texts].join(', ')} from ${table}
     where id >= uuid_floor($1) and id < uuid_floor($2) and recipient_hash is null and recipient <> all ($3::text[])
     limit $4`,
    [new Date(fromMs), new Date(untilMs), [ERASED, REMOVED], most],
  );

/** Locks rows in the order in which every batch locks them. Skips a row that was erased meanwhile. */
async function removeFrom(
  tx: Tx,
  { table, texts, emptied = [], notes }: RecipientTable,
  rows: readonly Row[],
  { vault, redact }: Removal,
): Promise<void> {
  const hashes = new Map<string, string>();
  const hashOf = (recipient: string): string => {
    const known = hashes.get(recipient) ?? short(vault.fingerprint(PURPOSE, recipient)).toString('hex');
    hashes.set(recipient, known);
    return known;
  };
  const changed = (recipient: string, text: string | null): string | null => {
    const redacted = text === null ? null : redact(recipient, text);
    return redacted === text ? null : redacted;
  };
  const given = rows.map((row) => ({
    account_id: row.account_id,
    id: row.id,
    recipient: row.recipient,
    hash: hashOf(row.recipient),
    ...Object.fromEntries(texts.map((name) => [name, changed(row.recipient, row[name] ?? null)])),
  }));
  const columns = texts.map((name) => `${name} text`).join(', ');
  await tx.run(
    `with n as (
       select * from json_to_recordset($1) as n (account_id uuid, id uuid, recipient text, hash text${texts.length > 0 ? `, ${columns}` : ''})
     ), locked as (
       select t.account_id, t.id from ${table} t join n on n.account_id = t.account_id and n.id = t.id
       order by t.account_id, t.id for no key update of t
     )
     update ${table} t set recipient = $2, recipient_hash = decode(n.hash, 'hex')
       ${texts.map((name) => `, ${name} = coalesce(n.${name}, t.${name})`).join('')}${emptied.map((name) => `, ${name} = null`).join('')}
     from n join locked l on l.account_id = n.account_id and l.id = n.id
     where t.account_id = n.account_id and t.id = n.id and t.recipient = n.recipient`,
    [JSON.stringify(given), REMOVED],
  );
  if (notes) await removeFromNotes(tx, notes, { rows, changed });
}

async function removeFromNotes(
  tx: Tx,
  { table, id, column }: NonNullable<RecipientTable['notes']>,
  {
    rows,
    changed,
  }: { rows: readonly Row[]; changed: (recipient: string, text: string | null) => string | null },
): Promise<void> {
  const recipients = new Map(rows.map((row) => [row.id, row.recipient]));
  const noted = await tx.rows<{ account_id: string; id: string; text: string }>(
    `select account_id, ${id} as id, ${column} as text from ${table} where ${id} = any ($1::uuid[]) and ${column} is not null`,
    [[...recipients.keys()]],
  );
  for (const { account_id, id: of, text } of noted) {
    const redacted = changed(recipients.get(of) ?? '', text);
    if (redacted !== null)
      await tx.run(
        `update ${table} set ${column} = $4 where account_id = $1 and ${id} = $2 and ${column} = $3`,
        [account_id, of, text, redacted],
      );
  }
}
