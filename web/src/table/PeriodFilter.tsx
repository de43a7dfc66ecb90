import { lazy, type ReactNode, Suspense } from 'react';
import { zoneName } from '../ui/dates.ts';
import { FilterSelect } from './FilterSelect.tsx';
import type { List } from './list.ts';
import { hasTimes, lastWeek, type Range } from './range.ts';

/** Loaded by the first custom range. */
const RangeInputs = lazy(async () => ({ default: (await import('./RangeInputs.tsx')).RangeInputs }));

interface Props<S extends Range> {
  list: List<S>;
  options: readonly { value: S['days']; label: string }[];
}

/** The presets of a list, and two more fields for a custom range, which begins with the last week. */
export function PeriodFilter<S extends Range>({ list, options }: Props<S>) {
  const change = (patch: Partial<S>): void =>
    list.change({
      ...patch,
      ...(patch.days === 'custom' ? lastWeek(zoneName()) : { from: '', to: '' }),
    });
  return (
    <>
      <FilterSelect list={{ ...list, change }} name="days" label="Time period" options={options} />
      {list.search.days === 'custom' ? (
        <RangePlace isTimed={hasTimes(list.search)}>
          <Suspense>
            <RangeInputs list={list as never} />
          </Suspense>
        </RangePlace>
      ) : null}
    </>
  );
}

/** As large before its two fields arrive. */
function RangePlace({ isTimed, children }: { isTimed: boolean; children: ReactNode }) {
  // a time needs more room than a day
  const width = isTimed ? 12.5 : 8.5;
  return (
    <div
      className="grid min-h-9 gap-2.5"
      data-range=""
      style={{
        gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${width}rem), 1fr))`,
        flexBasis: `${2 * width + 0.625}rem`,
      }}
    >
      {children}
    </div>
  );
}
