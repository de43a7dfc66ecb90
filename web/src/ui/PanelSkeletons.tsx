import { Skeleton } from '@mantine/core';
import { Panel } from './Panel.tsx';

/** A placeholder for panels that are loading, each with a title and lines. `lines` has the number of lines per panel. */
export const PanelSkeletons = ({ lines }: { lines: readonly number[] }) => (
  <div className="grid grid-cols-1 gap-5" aria-hidden>
    {lines.map((count, panel) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <Panel key={panel}>
        <Skeleton height={18} width="9rem" />
        <div className="mt-5">
          {Array.from({ length: count }, (_, line) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change
              key={line}
              className="flex min-h-13 items-center justify-between gap-4 border-line not-first:border-t"
            >
              <Skeleton height={12} width={`${35 + ((line * 17 + panel * 11) % 30)}%`} radius="xl" />
              <Skeleton height={12} width="4rem" radius="xl" />
            </div>
          ))}
        </div>
      </Panel>
    ))}
  </div>
);
