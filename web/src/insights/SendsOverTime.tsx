import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Insights } from '#contract/insights.ts';
import { Panel } from '../ui/Panel.tsx';
import { whole } from './figures.ts';
import classes from './Insights.module.css';

type Point = Insights['series'][number];

/** The statuses of a bar, from its foot up. `open` has not ended yet. */
const PARTS = [
  { name: 'verified', label: 'Verified', count: ({ verified }: Point) => verified },
  { name: 'expired', label: 'Expired', count: ({ expired }: Point) => expired },
  { name: 'failed', label: 'Failed', count: ({ failed }: Point) => failed },
  {
    name: 'open',
    label: 'Not ended',
    count: ({ sent, verified, expired, failed }: Point) => Math.max(0, sent - verified - expired - failed),
  },
] as const;

const FORMATS: Record<Insights['interval'], Intl.DateTimeFormat> = {
  five_minutes: new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' }),
  hour: new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric' }),
  day: new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' }),
};

/** Sends by status: a bar for each slot, whose parts a pointer or the keyboard names, and the same as a table. */
export function SendsOverTime({ series, interval }: Pick<Insights, 'series' | 'interval'>) {
  const [isTable, setIsTable] = useState(false);
  const nameOf = ({ at }: Point) => FORMATS[interval].format(new Date(at));
  return (
    <Panel
      title="Sends over time"
      actions={
        <Button
          variant="default"
          size="compact-sm"
          aria-pressed={isTable}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? 'Show chart' : 'Show table'}
        </Button>
      }
    >
      {isTable ? <Table series={series} nameOf={nameOf} /> : <Bars series={series} nameOf={nameOf} />}
    </Panel>
  );
}

interface SeriesProps {
  series: Point[];
  nameOf: (point: Point) => string;
}

function Bars({ series, nameOf }: SeriesProps) {
  const [chosen, choose] = useState<Point>();
  const most = Math.max(1, ...series.map(({ sent }) => sent));
  const shown = chosen ?? series.at(-1);
  const move = (by: number) => {
    const at = shown ? series.indexOf(shown) : series.length - 1;
    choose(series[Math.min(series.length - 1, Math.max(0, at + by))]);
  };
  return (
    <>
      <p className={classes.reading} aria-live="polite">
        {shown ? <strong>{nameOf(shown)}</strong> : null}
        {shown
          ? PARTS.map(({ name, label, count }) => (
              <span key={name} data-part={name}>
                {label} {whole(count(shown))}
              </span>
            ))
          : null}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a range input cannot show bars */}
      <div
        className={classes.bars}
        role="slider"
        tabIndex={0}
        aria-label="Sends over time. Use the arrow keys to read each bar."
        aria-valuemin={0}
        aria-valuemax={series.length - 1}
        aria-valuenow={shown ? series.indexOf(shown) : 0}
        aria-valuetext={shown ? `${nameOf(shown)}: ${whole(shown.sent)} sent` : ''}
        onKeyDown={({ key }) => {
          if (key === 'ArrowLeft') move(-1);
          if (key === 'ArrowRight') move(1);
        }}
        onPointerLeave={() => choose(undefined)}
      >
        {series.map((point) => (
          <div
            key={point.at}
            className={classes.bar}
            data-chosen={point === shown || undefined}
            onPointerEnter={() => choose(point)}
          >
            {PARTS.map(({ name, count }) => (
              <span key={name} data-part={name} style={{ height: `${(count(point) / most) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{series[0] ? nameOf(series[0]) : ''}</span>
        <span>{series.at(-1) ? nameOf(series.at(-1) as Point) : ''}</span>
      </div>
    </>
  );
}

const Table = ({ series, nameOf }: SeriesProps) => (
  <div className={classes.scroll}>
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Sent</th>
          {PARTS.map(({ name, label }) => (
            <th scope="col" key={name}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map((point) => (
          <tr key={point.at}>
            <th scope="row">{nameOf(point)}</th>
            <td>{whole(point.sent)}</td>
            {PARTS.map(({ name, count }) => (
              <td key={name}>{whole(count(point))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
