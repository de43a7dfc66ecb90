import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { figuresOf, MEASURES } from './figures.ts';
import { insightsDefaults, insightsOf } from './insights.ts';
import classes from './Overview.module.css';
import { Sparkline } from './Sparkline.tsx';

const REFETCH_MS = 60_000;

/** The last seven days in five figures, above the list. Each leads to the insights. Without numbers it shows only their names. */
export function Overview() {
  const { data, isPending } = useQuery({ ...insightsOf(insightsDefaults), refetchInterval: REFETCH_MS });
  const figures = data && figuresOf(data.totals, data.before);
  return (
    <section className={classes.overview} aria-label="Overview of the last 7 days" aria-busy={isPending}>
      {MEASURES.map(({ label, of }, n) => {
        const figure = figures?.[n];
        return (
          <Link key={label} to="/insights" search={insightsDefaults} className={classes.figure ?? ''}>
            <span className={classes.label}>{label}</span>
            <strong>{figure?.value ?? '–'}</strong>
            <span
              className={classes.change}
              data-good={figure?.change?.isGood ?? undefined}
              data-tip={figure?.change ? `${figure.before} in the 7 days before` : undefined}
            >
              {figure?.change?.text ?? (data ? 'last 7 days' : '')}
            </span>
            <span className={classes.line}>{data ? <Sparkline values={data.series.map(of)} /> : null}</span>
          </Link>
        );
      })}
    </section>
  );
}
