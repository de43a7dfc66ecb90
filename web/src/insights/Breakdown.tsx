import { type Counts, conversionOf } from '#contract/insights.ts';
import { Panel } from '../ui/Panel.tsx';
import { percent, whole } from './figures.ts';
import classes from './Insights.module.css';

interface Props {
  title: string;
  /** the heading of the first column */
  of: string;
  rows: (Counts & { id?: string; name: string })[];
}

/** Counts of one dimension as a table, the largest first. */
export const Breakdown = ({ title, of, rows }: Props) => (
  <Panel title={title}>
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col">Sent</th>
            <th scope="col">Verified</th>
            <th scope="col">Failed</th>
            <th scope="col">Conversion</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id ?? row.name}>
              <th scope="row">{row.name}</th>
              <td>{whole(row.sent)}</td>
              <td>{whole(row.verified)}</td>
              <td>{whole(row.failed)}</td>
              <td>{percent(conversionOf(row))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Panel>
);
