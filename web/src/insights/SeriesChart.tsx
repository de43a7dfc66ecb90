import { VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { AxisBottom, AxisLeft } from '@visx/axis';
import { GridRows } from '@visx/grid';
import { scaleBand, scaleLinear } from '@visx/scale';
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import classes from './Insights.module.css';
import type { ListAddress } from './list-address.ts';
import type { Series } from './Marks.tsx';
import { Bars, Lines } from './Marks.tsx';

export interface SeriesChartProps<P> {
  label: string;
  kind: 'bars' | 'lines';
  points: readonly P[];
  series: readonly Series<P>[];
  /** '1,234', '87.5%' */
  show: (value: number | null) => string;
  /** shorter, for the axis: '12K' */
  showTick: (value: number) => string;
  /** 'Sat, Nov 21' and, on the axis, 'Nov 21' */
  nameOf: (point: P) => string;
  tickOf: (point: P) => string;
  /** possible axis steps, ascending; default: decimal steps */
  steps?: readonly number[];
  /** the minimum end of the axis */
  most?: number;
  /** whether a point's slot is only partly covered, so that its bar or line is dashed */
  isPartial?: (point: P) => boolean;
  /** the list that a point opens */
  addressOf?: (point: P) => ListAddress;
}

/** The least height. A chart beside a longer panel is as high as that one. */
const HEIGHT = 232;
const MARGIN = { top: 8, right: 4, bottom: 26, left: 44 };
const TICK_WIDTH = 76;
/** approximate number of axis values */
const VALUES = 4;

/** Bars or lines over time. The pointer or the arrow keys show a slot's values; a click or Enter opens the list behind it. */
export function SeriesChart<P>(props: SeriesChartProps<P>) {
  const {
    label,
    kind,
    points,
    series,
    show,
    showTick,
    nameOf,
    tickOf,
    steps,
    most = 0,
    isPartial = () => false,
    addressOf,
  } = props;
  const { ref, width, height: room } = useElementSize();
  const height = Math.max(HEIGHT, room);
  const hint = useId();
  const navigate = useNavigate();
  const [chosen, choose] = useState<number>();
  const pointer = useRef('mouse');

  const sum = (point: P) => series.reduce((total, { value }) => total + (value(point) ?? 0), 0);
  const highest = (point: P) => Math.max(...series.map(({ value }) => value(point) ?? 0));
  const top = Math.max(most, ...points.map(kind === 'bars' ? sum : highest));
  const inner = {
    width: Math.max(0, width - MARGIN.left - MARGIN.right),
    height: height - MARGIN.top - MARGIN.bottom,
  };
  const x = scaleBand({
    domain: points.map((_, n) => n),
    range: [0, inner.width],
    paddingInner: 0.18,
    paddingOuter: 0.08,
  });
  const marks = steps && marksOf(steps, top);
  const y = scaleLinear({
    domain: [0, marks?.at(-1) ?? (top === 0 ? 1 : top)],
    range: [inner.height, 0],
    ...(!marks && { nice: VALUES }),
  });
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor(inner.width / TICK_WIDTH))));
  const ticks = points.map((_, n) => n).filter((n) => (points.length - 1 - n) % every === 0);

  const at = chosen === undefined ? undefined : points[chosen];
  const last = points.length - 1;
  const move = (to: number) => choose(Math.min(last, Math.max(0, to)));
  const open = (point: P | undefined) => {
    if (point && addressOf) void navigate(addressOf(point) as never);
  };
  const indexAt = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) => {
    const { left } = currentTarget.getBoundingClientRect();
    return Math.min(
      last,
      Math.max(0, Math.floor(((clientX - left - MARGIN.left) / inner.width) * points.length)),
    );
  };
  const read = (point: P): string =>
    `${nameOf(point)}: ${series.map(({ label: name, value }) => `${name} ${show(value(point))}`).join(', ')}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const from = chosen ?? last;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter') open(points[from]);
    else if (event.key === 'Escape') choose(undefined);
    else return;
    event.preventDefault();
  };

  return (
    <div className={`${classes.chart} relative`}>
      <ul
        className={`${classes.legend} mt-0 mb-2 flex list-none flex-wrap gap-x-4 gap-y-1 p-0 text-13 text-ink-soft`}
        aria-hidden
      >
        {series.map(({ name, label: text }) => (
          <li key={name} data-part={name} data-kind={kind}>
            {text}
          </li>
        ))}
      </ul>
      <div
        ref={ref}
        className={`${classes.plot} relative rounded-8 data-opens:cursor-pointer`}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen ?? last}
        aria-valuetext={points[chosen ?? last] ? read(points[chosen ?? last] as P) : ''}
        data-opens={addressOf ? true : undefined}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => target.matches(':focus-visible') && choose(chosen ?? last)}
        onBlur={() => choose(undefined)}
        onPointerDown={(event: PointerEvent) => {
          pointer.current = event.pointerType;
        }}
        onPointerMove={(event: PointerEvent) => event.pointerType !== 'touch' && choose(indexAt(event))}
        onPointerLeave={(event: PointerEvent) => event.pointerType !== 'touch' && choose(undefined)}
        onClick={(event) => {
          const index = indexAt(event);
          // the first tap shows the values, the second opens the list
          if (pointer.current === 'touch' && index !== chosen) choose(index);
          else open(points[index]);
        }}
      >
        <svg className="absolute overflow-visible" width={width} height={height} aria-hidden>
          <g transform={`translate(${MARGIN.left},${MARGIN.top})`}>
            <GridRows
              scale={y}
              width={inner.width}
              numTicks={VALUES}
              {...(marks && { tickValues: [...marks] })}
              className="text-line"
              stroke="currentColor"
            />
            {chosen === undefined ? null : (
              <rect
                className={classes.chosen}
                x={(x(chosen) ?? 0) - (x.step() - x.bandwidth()) / 2}
                width={x.step()}
                height={inner.height}
              />
            )}
            {kind === 'bars' ? (
              <Bars points={points} series={series} x={x} y={y} isPartial={isPartial} />
            ) : (
              <Lines points={points} series={series} x={x} y={y} chosen={chosen} isPartial={isPartial} />
            )}
            <AxisLeft
              scale={y}
              numTicks={VALUES}
              {...(marks && { tickValues: [...marks] })}
              hideAxisLine
              hideTicks
              tickFormat={(value) => showTick(Number(value))}
              tickClassName={classes.tick ?? ''}
              tickLabelProps={{ textAnchor: 'end', dx: -4, dy: 4 }}
            />
            <AxisBottom
              top={inner.height}
              scale={x}
              tickValues={ticks}
              hideTicks
              tickFormat={(n) => (points[n] === undefined ? '' : tickOf(points[n] as P))}
              axisLineClassName={classes.axis ?? ''}
              tickClassName={classes.tick ?? ''}
              tickLabelProps={(n) => ({
                textAnchor: n === last && every > 1 ? 'end' : 'middle',
                dx: n === last && every > 1 ? x.bandwidth() / 2 : 0,
                dy: 2,
              })}
            />
          </g>
        </svg>
        {at === undefined || chosen === undefined ? null : (
          <div
            className={`${classes.tip} pointer-events-none absolute top-0 z-1 grid rounded-8 border border-line bg-surface px-3 py-2 text-13 whitespace-nowrap text-ink-soft tabular-nums lift`}
            data-left={chosen > last / 2 || undefined}
            style={{ left: MARGIN.left + (x(chosen) ?? 0) + (chosen > last / 2 ? 0 : x.bandwidth()) }}
          >
            <strong className="font-600 text-ink">{nameOf(at)}</strong>
            {[...series].reverse().map(({ name, label: text, value }) => (
              <span key={name} data-part={name} data-kind={kind}>
                {text} <b className="ml-4 font-600 text-ink">{show(value(at))}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <VisuallyHidden component="p" id={hint}>
        The arrow keys read each point{addressOf ? ', Enter opens its verifications' : ''}. “Show table” has
        the same numbers as a table.
      </VisuallyHidden>
    </div>
  );
}

const MOST = 4;

/** The axis values up to `top`: multiples of the first step that needs at most four, or quarters of `top`. */
export function marksOf(steps: readonly number[], top: number): number[] {
  const step = steps.find((one) => top <= one * MOST) ?? top / MOST;
  const count = Math.max(1, Math.ceil(top / step));
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}
