import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { nowMs } from '../api/clock.ts';
import { figuresOf, MEASURES } from './figures.ts';
import { insightsFor } from './insights.ts';
import classes from './Overview.module.css';
import { type ListFilters, overviewOf } from './overview-filters.ts';
import { Refused } from './Refused.tsx';

const REFETCH_MS = 60_000;

/**
 * The list's period, channel, country and key in five figures, above the list. Each leads to the insights. Without numbers it shows
 * only their names.
 */
export function Overview({ filters }: { filters: ListFilters }) {
  const { data: user } = useQuery(currentUser);
  const { query, search, period, compared } = overviewOf(filters, user?.created_at, nowMs());
  const { data, isPending } = useQuery({ ...insightsFor(query), refetchInterval: REFETCH_MS });
  const figures = data && figuresOf(data.totals, data.before);
  return (
    <section aria-label="Overview" aria-busy={isPending}>
      <div className={classes.caption}>
        <p>
          {period}
          <span className={classes.compared}>{compared}</span>
        </p>
        {data ? <Refused data={data} search={search} className={classes.refused ?? ''} isShort /> : null}
      </div>
      <div className={classes.overview}>
        {MEASURES.map(({ label, of }, n) => {
          const figure = figures?.[n];
          return (
            <Link key={label} to="/insights" search={search} className={classes.figure ?? ''}>
              <span className={classes.label}>{label}</span>
              <strong>{figure?.value ?? '–'}</strong>
              <span
                className={classes.change}
                data-good={figure?.change?.isGood ?? undefined}
                data-tip={figure?.change ? `${figure.before} in the period before` : undefined}
              >
                {figure?.change?.text ?? ''}
              </span>
              <span className={classes.line}>{data ? <Sparkline values={data.series.map(of)} /> : null}</span>
            </Link>
          );
        })}
      </div>
    </section>
  );
}

const WIDTH = 96;
const HEIGHT = 28;
const INSET = 2;

/** A small line without axes. Missing values leave gaps; the numbers are elsewhere, so screen readers skip it. */
function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 0);
  if (known.length < 2 || top === 0) return null;
  const x = (n: number) => INSET + (n / (values.length - 1)) * (WIDTH - 2 * INSET);
  const y = (value: number) => HEIGHT - INSET - (value / top) * (HEIGHT - 2 * INSET);
  const line = values
    .map((value, n) =>
      value === null ? '' : `${values[n - 1] == null ? 'M' : 'L'}${x(n).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <path
        d={line}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
