export interface TableData {
  head: readonly string[];
  /** null: no value */
  rows: readonly (readonly (string | number | null)[])[];
}

/** Spreadsheets run a text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const cell = (value: string | number | null): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180 */
export const toCsv = ({ head, rows }: TableData): string =>
  [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');

export function downloadCsv(name: string, data: TableData): void {
  const url = URL.createObjectURL(new Blob([toCsv(data)], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
