import { lazy, Suspense } from 'react';
import { zoneName } from '../ui/dates.ts';
import { FilterSelect } from './FilterSelect.tsx';
import type { List } from './list.ts';
import { lastWeek, type Range } from './range.ts';

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
        <Suspense>
          <RangeInputs list={list as never} />
        </Suspense>
      ) : null}
    </>
  );
}
