import { Skeleton } from '@mantine/core';

const FIGURES = [62, 48, 54, 70, 58];

/** As high as the figures above the list, which load after its rows. */
export const FiguresSkeleton = () => (
  <div aria-hidden>
    <div className="mb-1.5 flex h-6 items-center max-md:mb-1 max-md:h-5">
      <Skeleton height={10} width="9rem" radius="xl" />
    </div>
    <div className="mb-5 grid h-25 grid-cols-5 gap-px overflow-hidden rounded-12 border border-line bg-line max-lg:h-22 max-md:mb-[0.9375rem] max-md:h-11 max-md:grid-cols-4">
      {FIGURES.map((share, n) => (
        <div
          key={share}
          className={`grid content-center gap-3.5 bg-surface px-4 max-lg:px-3.5 ${n > 3 ? 'max-md:hidden' : ''}`}
        >
          <Skeleton height={10} width={`${share}%`} radius="xl" />
          <Skeleton className="max-md:hidden" height={18} width="3rem" radius="xl" />
        </div>
      ))}
    </div>
  </div>
);
