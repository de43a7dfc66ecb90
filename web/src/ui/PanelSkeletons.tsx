import { Skeleton } from '@mantine/core';
import { Panel } from './Panel.tsx';
import classes from './PanelSkeletons.module.css';

/** Stands for panels that are loading: a title and some lines in each. `lines` has the number of each panel. */
export const PanelSkeletons = ({ lines }: { lines: readonly number[] }) => (
  <div className={classes.panels} aria-hidden>
    {lines.map((count, panel) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <Panel key={panel}>
        <Skeleton height={18} width="9rem" />
        <div className={classes.lines}>
          {Array.from({ length: count }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <div key={line} className={classes.line}>
              <Skeleton height={12} width={`${35 + ((line * 17 + panel * 11) % 30)}%`} radius="xl" />
              <Skeleton height={12} width="4rem" radius="xl" />
            </div>
          ))}
        </div>
      </Panel>
    ))}
  </div>
);
