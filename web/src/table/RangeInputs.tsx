import { localTime, momentOf, today } from '@sixdigit/contract/local-time.ts';
import { useTimeZone } from '../ui/dates.ts';
import { DateInput } from './DateInput.tsx';
import type { List } from './list.ts';
import { hasTimes, momentsOf, type Range } from './range.ts';

/** The two ends of a custom range, in the lists' time zone: days, or times if a chart's bar led here. */
export function RangeInputs<S extends Range>({ list }: { list: List<S> }) {
  const zone = useTimeZone();
  const isTimed = hasTimes(list.search);
  const moments = momentsOf(list.search, zone);
  const textOf = (end: 'from' | 'to'): string => {
    const at = moments[end];
    return isTimed && at ? localTime(at, zone) : list.search[end];
  };
  // The other end follows, so that the range never ends before it begins.
  const change = (end: 'from' | 'to', text: string): void => {
    const other = end === 'from' ? textOf('to') : textOf('from');
    const isCrossed = text !== '' && other !== '' && (end === 'from' ? text > other : text < other);
    const endOf = (local: string): string =>
      isTimed && local !== '' ? momentOf(local, zone).toISOString() : local;
    const [first, last] = end === 'from' ? [text, other] : [other, text];
    list.change({
      from: endOf(isCrossed ? text : first),
      to: endOf(isCrossed ? text : last),
    } as Partial<S>);
  };
  const type = isTimed ? 'datetime-local' : 'date';
  const max = isTimed ? undefined : today(zone);
  return (
    <>
      <DateInput
        label="From"
        type={type}
        value={textOf('from')}
        max={max}
        onChange={(text) => change('from', text)}
      />
      <DateInput
        label="To"
        type={type}
        value={textOf('to')}
        max={max}
        onChange={(text) => change('to', text)}
      />
    </>
  );
}
