import type { Insights } from '#contract/insights.ts';
import { duration, percent } from './figures.ts';
import classes from './Insights.module.css';

/** Upper ends, in seconds, of the rows into which the buckets are gathered. */
const ENDS = [5, 10, 20, 30, 60, 120, 300] as const;

/** How long right codes took: median, 95th percentile and distribution. */
export function TimesToVerify({ times, totals }: Pick<Insights, 'times' | 'totals'>) {
  if (totals.verified === 0) return <p className={classes.none}>No code was verified in this period.</p>;
  const rows = [...ENDS, Number.POSITIVE_INFINITY].map((end, n, all) => {
    const start = n === 0 ? 0 : (all[n - 1] as number);
    const verified = times
      .filter(({ from_seconds }) => from_seconds >= start && from_seconds < end)
      .reduce((sum, one) => sum + one.verified, 0);
    const name = Number.isFinite(end) ? `up to ${duration(end)}` : `over ${duration(start)}`;
    return { name, share: verified / totals.verified };
  });
  return (
    <>
      <p className={classes.reading}>
        <span>
          Median <strong>{duration(totals.median_seconds)}</strong>
        </span>
        <span>
          95th percentile <strong>{duration(totals.p95_seconds)}</strong>
        </span>
      </p>
      <table className={classes.shares}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Share of right codes</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <span className={classes.share} style={{ width: `${share * 70}%` }} />
                {percent(share)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
