import { TextInput } from '@mantine/core';
import { useTimeZone } from '../ui/dates.ts';
import type { List } from './list.ts';
import { type Range, today } from './range.ts';

/** The two days of a custom range, in the time zone that the lists show. */
export function RangeInputs<S extends Range>({ list }: { list: List<S> }) {
  const zone = useTimeZone();
  const { from, to } = list.search;
  const change = (patch: Partial<Range>): void => list.change(patch as Partial<S>);
  return (
    <>
      <TextInput
        type="date"
        aria-label="From"
        value={from}
        max={to || today(zone)}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label="To"
        value={to}
        min={from}
        max={today(zone)}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
    </>
  );
}
