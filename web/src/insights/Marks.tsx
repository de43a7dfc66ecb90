import type { scaleBand, scaleLinear } from '@visx/scale';
import { BarStack, LinePath } from '@visx/shape';
import classes from './Insights.module.css';

interface Props<P> {
  points: readonly P[];
  series: readonly Series<P>[];
  x: ReturnType<typeof scaleBand<number>>;
  y: ReturnType<typeof scaleLinear<number>>;
}

/** Few slots make no wide bars. */
const MOST_WIDTH = 48;
/** Separates the parts of a bar for people who do not see the colors. */
const GAP = 1;

/** Stacked bars. Those that cover only part of their slot are pale with a dashed outline. */
export function Bars<P>({
  points,
  series,
  x,
  y,
  isPartial,
}: Props<P> & { isPartial: (point: P) => boolean }) {
  const data = points.map((point, n) => ({ n, point }));
  const values = new Map(series.map(({ name, value }) => [name, value]));
  return (
    <BarStack
      data={data}
      keys={series.map(({ name }) => name)}
      x={({ n }) => n}
      value={({ point }, name) => values.get(name)?.(point) ?? 0}
      xScale={x}
      yScale={y}
      color={(name) => name}
    >
      {(stacks) =>
        stacks.flatMap(({ key, bars }) =>
          bars
            .filter(({ height }) => height > 0)
            .map((bar) => ({ ...bar, shownWidth: Math.min(MOST_WIDTH, bar.width) }))
            .map((bar) => (
              <rect
                key={`${key}${bar.index}`}
                data-part={key}
                data-partial={isPartial(points[bar.index] as P) || undefined}
                className={classes.mark}
                x={bar.x + (bar.width - bar.shownWidth) / 2}
                y={bar.y}
                width={bar.shownWidth}
                height={Math.max(1, bar.height - GAP)}
                rx={Math.min(2, bar.width / 4)}
              />
            )),
        )
      }
    </BarStack>
  );
}

/** One line per series, with gaps for missing values and dots for isolated ones. */
export function Lines<P>({
  points,
  series,
  x,
  y,
  chosen,
  isPartial,
}: Props<P> & { chosen: number | undefined; isPartial: (point: P) => boolean }) {
  const centre = (n: number) => (x(n) ?? 0) + x.bandwidth() / 2;
  return series.map(({ name, value }) => {
    const values = points.map((point, n) => ({ n, value: value(point), isPartial: isPartial(point) }));
    const isLone = (n: number) => values[n - 1]?.value == null && values[n + 1]?.value == null;
    // The segments at points that cover only part of their slot are dashed.
    const dashed = values
      .flatMap((one, n) => (n > 0 ? [[values[n - 1]!, one] as const] : []))
      .filter(([from, to]) => (from.isPartial || to.isPartial) && from.value !== null && to.value !== null);
    const dots = values.filter((one) => one.value !== null && (one.n === chosen || isLone(one.n)));
    return (
      <g key={name} data-part={name}>
        <LinePath
          data={values}
          defined={(one) => one.value !== null && !one.isPartial}
          x={({ n }) => centre(n)}
          y={(one) => y(one.value ?? 0)}
          className={classes.line ?? ''}
        />
        {dashed.map((segment) => (
          <LinePath
            key={segment[0].n}
            data={[...segment]}
            x={({ n }) => centre(n)}
            y={(one) => y(one.value ?? 0)}
            className={classes.line ?? ''}
            strokeDasharray="2 5"
          />
        ))}
        {dots.map((one) => (
          <circle
            key={one.n}
            className={classes.dot}
            data-open={one.isPartial || undefined}
            cx={centre(one.n)}
            cy={y(one.value ?? 0)}
            r={4}
          />
        ))}
      </g>
    );
  });
}

/** One status or quantity over all slots. `name` selects the color. */
export interface Series<P> {
  name: string;
  label: string;
  /** null: no value in this slot */
  value: (point: P) => number | null;
}
