/** CSV by RFC 4180, safe to open in a spreadsheet of any locale. */
export type Cell = string | number | boolean | null | { e164: string };

/** Excel reads UTF-8 only after this mark. Other readers skip it. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Where a spreadsheet may start a cell: at the start of our cell and, if its list separator is not a comma, also inside it,
 * because quotes protect only from the start of a cell.
 */
const BEGIN = String.raw`(^|[;|\t\n])`;
/** Characters that a spreadsheet may drop before it looks for a formula, an empty pair of quotes included. */
const IGNORED = String.raw`(?:(?![\t\n])[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])*`;
/**
 * Characters that begin a formula, including full-width, small and superscript forms. An apostrophe in the text is doubled, so
 * that readers can tell it from an added one.
 */
const FORMULA = String.raw`['=+\-@\u2212\u207A\u207B\u207C\u208A\u208B\u208C\uFE62\uFE63\uFE66\uFE6B\uFF07\uFF1D\uFF0B\uFF0D\uFF20]`;
const GUARDED = new RegExp(String.raw`${BEGIN}(?=${IGNORED}${FORMULA})|^()(?=[\t\n])`, 'gu');

/** Only a plus sign and digits: at worst a spreadsheet shows a rounded number. */
const E164 = /^\+\d{6,15}$/;
/** A spreadsheet would round or shorten these texts: long numbers, leading zeros, exponents. */
const NUMBER = /^(?:\d{12,}|0\d+|\d+(?:[.,]\d+)?e[+-]?\d+)$/i;

/**
 * Text is always quoted. An apostrophe precedes anything that a spreadsheet could run or round. To restore the text, a reader
 * removes one apostrophe at the beginning of a cell and after each `;`, `|`, tab and line break. Line breaks within a cell
 * become LF, so that each CRLF ends a row.
 */
function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return `"${cell.e164}"`;
  if (typeof cell !== 'string') return String(cell);
  const lines = cell.includes('\r') ? cell.replace(/\r\n?/g, '\n') : cell;
  const text = NUMBER.test(lines) ? `'${lines}` : lines.replace(GUARDED, "$1'");
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
}

export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

interface Column<Row> {
  header: string;
  cell: (row: Row) => Cell;
}

/** Two columns: the phone number as programs use it, and as a URI (RFC 3966), which no spreadsheet reads as a number. */
export const recipientColumns = <Row>(of: (row: Row) => string | null): Column<Row>[] => {
  const shownAs = (shown: (e164: string) => Cell) => (row: Row) => {
    const recipient = of(row);
    return recipient !== null && E164.test(recipient) ? shown(recipient) : recipient;
  };
  return [
    { header: 'recipient', cell: shownAs((e164) => ({ e164 })) },
    { header: 'recipient_text', cell: shownAs((e164) => `tel:${e164}`) },
  ];
};
