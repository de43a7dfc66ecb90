import { BYTE_ORDER_MARK, csvRow } from '@sixdigit/contract/text/csv.ts';

export interface TableData {
  head: readonly string[];
  /** null: no value */
  rows: readonly (readonly (string | number | null)[])[];
}

export const toCsv = ({ head, rows }: TableData): string =>
  BYTE_ORDER_MARK + [head, ...rows].map(csvRow).join('');

export function downloadCsv(name: string, data: TableData): void {
  const url = URL.createObjectURL(new Blob([toCsv(data)], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
