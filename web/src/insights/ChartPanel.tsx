import { ActionIcon } from '@mantine/core';
import { BYTE_ORDER_MARK, csvRow } from '@sixdigit/contract/text/csv.ts';
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Panel } from '../ui/Panel.tsx';
import { whole } from './figures.ts';
import classes from './Insights.module.css';

interface Props {
  title: string;
  description?: ReactNode;
  /** the same numbers, for the table and the CSV file */
  table: TableData;
  children: ReactNode;
}

/** A chart that can be shown as a table or downloaded as CSV. */
export function ChartPanel({ title, description, table, children }: Props) {
  const [isTable, setIsTable] = useState(false);
  const file = `${title.toLowerCase().replaceAll(' ', '-')}.csv`;
  const toggle = isTable ? 'Show chart' : 'Show table';
  return (
    <Panel
      title={title}
      actions={
        <div className={`${classes.actions} flex flex-none gap-0.5`}>
          <ActionIcon
            aria-label={toggle}
            data-tip={toggle}
            aria-pressed={isTable}
            onClick={() => setIsTable(!isTable)}
          >
            {isTable ? <IconChartBar size={18} aria-hidden /> : <IconTable size={18} aria-hidden />}
          </ActionIcon>
          <ActionIcon
            aria-label="Download CSV"
            data-tip="Download CSV"
            onClick={() => downloadCsv(file, table)}
          >
            <IconDownload size={18} aria-hidden />
          </ActionIcon>
        </div>
      }
    >
      {description ? <p className={`${classes.description} text-14 text-ink-soft`}>{description}</p> : null}
      {isTable ? <Table title={title} {...table} /> : children}
    </Panel>
  );
}

const shown = (value: string | number | null): string =>
  value === null ? '–' : typeof value === 'number' ? whole(value) : value;

const Table = ({ title, head, rows }: TableData & { title: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
  <section className="max-h-68 overflow-auto" aria-label={`${title}, table`} tabIndex={0}>
    <table className="w-full border-collapse text-14">
      <thead>
        <tr>
          {head.map((name) => (
            <th
              scope="col"
              key={name}
              className="sticky top-0 border-b border-line bg-surface py-1.5 pr-3 pl-0 text-right text-13 font-500 whitespace-nowrap text-ink-soft first:text-left"
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and rows have no state
          <tr key={index}>
            <th
              scope="row"
              className="min-w-32 border-b border-line py-1.5 pr-3 pl-0 text-left font-500 wrap-anywhere"
            >
              {shown(name ?? null)}
            </th>
            {values.map((value, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have fixed places
              <td key={column} className="border-b border-line py-1.5 pr-3 pl-0 text-right whitespace-nowrap">
                {shown(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

interface TableData {
  head: readonly string[];
  /** null: no value */
  rows: readonly (readonly (string | number | null)[])[];
}

export const toCsv = ({ head, rows }: TableData): string =>
  BYTE_ORDER_MARK + [head, ...rows].map(csvRow).join('');

function downloadCsv(name: string, data: TableData): void {
  const url = URL.createObjectURL(new Blob([toCsv(data)], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
