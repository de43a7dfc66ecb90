import { type Db, likeLiteral } from '../platform/db/sql.ts';
import { asciiDigits } from '../platform/digits.ts';
import { ERASED, type FreeTexts, type IdRange, type RecipientForms } from '../platform/erasure.ts';
import { spellingsOf } from './spellings.ts';

/** Redacts the recipient in the texts of a table. Returns the number of rows that named it. */
export async function redactTexts(
  db: Db,
  forms: RecipientForms,
  { table, key, orderedId, columns, whole }: FreeTexts,
  [from, to]: IdRange,
): Promise<number> {
  const { redact } = spellingsOf(forms);
  const { where, params } = candidates(forms, columns);
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

/** Selects rows that may name the recipient: may return false positives, but misses no match. */
function candidates(
  { recipient, digits }: RecipientForms,
  columns: readonly string[],
): { where: string; params: string[] } {
  const plain = (column: string): string => `lower(normalize(${column}, NFKC))`;
  if (digits.length > 0) {
    const { from, to } = foreignDigits();
    const only = (column: string) =>
      `regexp_replace(translate(${plain(column)}, $1, $2), '%20|[^0-9]', '', 'g')`;
    return {
      where: `(${columns.map((column) => `${only(column)} like $3`).join(' or ')})`,
      params: [from, to, `%${digits.at(-1)}%`],
    };
  }
  // Only the local part, because the rest has many spellings.
  const local = recipient.slice(0, recipient.lastIndexOf('@'));
  const visible = (column: string) => `regexp_replace(${plain(column)}, $1, '', 'g')`;
  return {
    where: `(${columns.map((column) => `${visible(column)} like $2`).join(' or ')})`,
    params: [
      '[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]',
      `%${likeLiteral(local).replace(/[&']/g, '%')}%`,
    ],
  };
}

/** Decimal digits that NFKC does not convert, with their ASCII digits. */
function foreignDigits(): { from: string; to: string } {
  let from = '';
  let to = '';
  for (let point = 0x80; point < 0x20000; point += 1) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const digit = String.fromCodePoint(point);
    if (!/\p{Nd}/u.test(digit) || /^[0-9]$/.test(digit.normalize('NFKC'))) continue;
    from += digit;
    to += asciiDigits(digit);
  }
  return { from, to };
}
