import { ActionIcon } from '@mantine/core';
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Panel } from '../ui/Panel.tsx';
import { downloadCsv, type TableData } from './csv.ts';
import { whole } from './figures.ts';
import classes from './Insights.module.css';

interface Props {
  title: string;
  description?: ReactNode;
  /** the same numbers, for the table and the CSV file */
  table: TableData;
  children: ReactNode;
}

/** A chart with its table and its CSV file. */
export function ChartPanel({ title, description, table, children }: Props) {
  const [isTable, setIsTable] = useState(false);
  const file = `${title.toLowerCase().replaceAll(' ', '-')}.csv`;
  const toggle = isTable ? 'Show chart' : 'Show table';
  return (
    <Panel
      title={title}
      description={description}
      actions={
        <div className={classes.tools}>
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
      {isTable ? <Table title={title} {...table} /> : children}
    </Panel>
  );
}

const shown = (value: string | number | null): string =>
  value === null ? '–' : typeof value === 'number' ? whole(value) : value;

const Table = ({ title, head, rows }: TableData & { title: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
  <section className={classes.scroll} aria-label={`${title}, table`} tabIndex={0}>
    <table className={classes.table}>
      <thead>
        <tr>
          {head.map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and rows have no state
          <tr key={index}>
            <th scope="row">{shown(name ?? null)}</th>
            {values.map((value, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have fixed places
              <td key={column}>{shown(value)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
