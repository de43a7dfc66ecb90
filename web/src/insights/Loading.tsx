import { Skeleton, VisuallyHidden } from '@mantine/core';
import { Panel } from '../ui/Panel.tsx';
import strip from './FigureStrip.module.css';
import { MEASURES } from './figures.ts';
import classes from './Insights.module.css';

const BARS = [34, 52, 45, 68, 58, 88, 72];
const STEPS = [100, 96, 80, 68];

/** Names and frames as they will be, so that nothing moves when the numbers arrive. */
export const Loading = () => (
  <div role="status" aria-busy="true">
    <VisuallyHidden>Loading...</VisuallyHidden>
    <div className={classes.sections} aria-hidden>
      <dl className={strip.figures}>
        {MEASURES.map(({ label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={strip.waiting}>
              <Skeleton height="1.25rem" width="4.5rem" />
            </dd>
          </div>
        ))}
      </dl>
      <Waiting title="Sends over time" description="By status, at the time of the send." />
      <div className={classes.pair}>
        <Waiting title="Conversion over time" description="Verified sends among those that ended." />
        <Panel title="Funnel" description="From the send to the right code.">
          <div className={classes.lines}>
            {STEPS.map((percent) => (
              <div key={percent}>
                <Skeleton height={12} width="7rem" radius="xl" />
                <Skeleton height={6} width={`${percent}%`} radius="xl" />
              </div>
            ))}
          </div>
        </Panel>
      </div>
    </div>
  </div>
);

const Waiting = (panel: { title: string; description: string }) => (
  <Panel {...panel}>
    <div className={classes.bars}>
      {BARS.map((percent) => (
        <Skeleton key={percent} height={`${percent}%`} radius="sm" />
      ))}
    </div>
  </Panel>
);
