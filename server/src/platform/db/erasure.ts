import { likeLiteral, type Queryable } from './sql.ts';

/** The text that replaces an erased recipient. */
export const ERASED = '[erased]';

/** A recipient to erase, in the forms in which rows may contain it. */
export interface RecipientForms {
  /** as stored in verifications: E.164, or a lower-case e-mail address */
  recipient: string;
  /** the number's digits, with and without its country code; empty for an e-mail address */
  digits: string[];
  /** as rows keep it after its removal */
  hashes: readonly Buffer[];
  /** as accounts know it */
  known_hashes: readonly Buffer[];
}

/** The forms that texts may contain. */
export type SpelledForms = Pick<RecipientForms, 'recipient' | 'digits'>;

/** Ids from the first (inclusive) to the second (exclusive). */
export type IdRange = [from: string, to: string];

/** Texts of customers, carriers and endpoints, which may contain recipients. `erase` redacts them. */
export interface FreeTexts {
  table: string;
  /** the columns that identify a row */
  key: readonly string[];
  /** the time-ordered id that assigns rows to ranges; without it, the whole table is read at once */
  orderedId?: string;
  columns: readonly string[];
  /** a column of jsonb: `columns` are paths in it, which are removed whole */
  json?: string;
  /** the line of the report that counts these rows */
  counts: 'history_notes' | 'request_logs' | 'webhook_attempts' | 'texts_of_others';
  /** replaces the whole text, for texts that must not be redacted in part */
  whole?: string;
}

/** The SQL condition for texts that may contain the recipient. $1 and $2 are `namePatterns`. */
export const mayName = (column: string): string =>
  `(${column} ilike any ($1::text[]) or regexp_replace(${column}, '[^0-9]', '', 'g') like any ($2::text[]))`;

/** Patterns for the text and for its digits. */
export const namePatterns = ({ recipient, digits }: SpelledForms): [string[], string[]] => [
  [`%${likeLiteral(recipient)}%`],
  // The pattern of the shorter number also finds the longer one, which contains it.
  digits.slice(-1).map((some) => `%${some}%`),
];

/** Deletes up to `most` rows of a deleted account. Returns the number of deleted rows. */
export const deleteRowsOf = (
  sql: Queryable,
  { table, key }: { table: string; key: string },
  { account_id, most }: { account_id: string; most: number },
): Promise<number> =>
  sql.run(
    `delete from ${table} where account_id = $1 and ${key} in (
       select ${key} from ${table} where account_id = $1 limit $2)`,
    [account_id, most],
  );
