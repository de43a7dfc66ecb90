/** CSV by RFC 4180, safe to open in a spreadsheet. */
export type Cell = string | number | boolean | null;

/** Excel reads UTF-8 only after this mark. Other readers skip it. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Spreadsheets run a text that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Only a plus sign and digits: at worst a spreadsheet shows the number without its plus sign. */
const E164 = /^\+\d{6,15}$/;
const QUOTED = /[",\r\n]/;

/** Line breaks within a cell become LF, so that each CRLF ends a row. */
function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !E164.test(cell) ? `'${cell}` : cell;
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return QUOTED.test(lines) ? `"${lines.replaceAll('"', '""')}"` : lines;
}

export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;
