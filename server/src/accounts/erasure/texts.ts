import { ERASED, type FreeTexts, type IdRange, type RecipientForms } from '../../platform/db/erasure.ts';
import type { Db } from '../../platform/db/sql.ts';
import { candidatesFor } from './candidates.ts';
import { spellingsOf } from './spellings.ts';

/** Redacts the recipient in the texts of a table. Returns the number of rows that named it. */
export async function redactTexts(
  db: Db,
  forms: RecipientForms,
  { table, key, orderedId, columns, whole }: FreeTexts,
  [from, to]: IdRange,
): Promise<number> {
  const { redact } = spellingsOf(forms);
  const { where, params } = candidatesFor(forms, columns);
  const within = orderedId
    ? `${orderedId} >= $${params.length + 1} and ${orderedId} < $${params.length + 2} and`
    : '';
  const rows = await db.rows<Record<string, string | null>>(
    `select ${[...key, ...columns].join(', ')} from ${table} where ${within} ${where}`,
    [...params, ...(orderedId ? [from, to] : [])],
  );
  let redacted = 0;
  for (const row of rows) {
    const changed = columns.filter((column) => row[column] && redact(row[column], ERASED) !== row[column]);
    if (changed.length === 0) continue;
    // Rows changed since the read have a new text and are skipped.
    redacted += await db.run(
      `update ${table} set ${changed.map((column, n) => `${column} = $${n + 1}`).join(', ')}
       where ${key.map((column, n) => `${column} = $${changed.length + n + 1}`).join(' and ')}
         and ${changed.map((column, n) => `${column} = $${changed.length + key.length + n + 1}`).join(' and ')}`,
      [
        ...changed.map((column) => whole ?? redact(row[column] ?? '', ERASED)),
        ...key.map((column) => row[column]),
        ...changed.map((column) => row[column]),
      ],
    );
  }
  return redacted;
}
