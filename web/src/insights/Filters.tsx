import { NativeSelect } from '@mantine/core';
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { Insights } from '@sixdigit/contract/insights.ts';
import { dayAfter, today } from '@sixdigit/contract/local-time.ts';
import { DateInput } from '../table/DateInput.tsx';
import { lastWeek } from '../table/range.ts';
import { labelOf } from '../ui/channel.ts';
import { zoneName } from '../ui/dates.ts';
import { countryName } from '../ui/display-names.ts';
import classes from './Insights.module.css';
import { type InsightsSearch, ranges } from './insights.ts';

interface Props {
  search: InsightsSearch;
  data: Insights | undefined;
  /** the keys of the account */
  keys: readonly { id: string; name: string }[];
  change: (to: Partial<InsightsSearch>) => void;
}

/** Period, channel, country and API key. */
export function Filters({ search, data, keys, change }: Props) {
  const countries = withChosen(
    search.country,
    (data?.by_country ?? []).flatMap(({ country }) => (country ? [country] : [])),
  );
  const named = new Map([
    ...keys.map(({ id, name }) => [id, name] as const),
    ...(data?.by_api_key ?? []).map(({ api_key }) => [api_key.id, api_key.name] as const),
  ]);
  return (
    <fieldset
      className={`${classes.filters} m-0 flex flex-wrap gap-2 border-0 p-0 max-lg:grid`}
      aria-label="Filters"
    >
      <Choice
        label="Time period"
        value={search.range}
        options={ranges}
        onChange={(range) =>
          change(range === 'custom' ? { range, ...lastWeek(zoneName()) } : { range, from: '', to: '' })
        }
      />
      {search.range === 'custom' ? <Days search={search} change={change} /> : null}
      <Choice
        label="Channel"
        value={search.channel}
        options={[
          { value: '', label: 'All Channels' },
          ...CHANNELS.map((value) => ({ value, label: labelOf(value) })),
        ]}
        onChange={(channel) => change({ channel })}
      />
      <Choice
        label="Country"
        value={search.country}
        options={[
          { value: '', label: 'All Countries' },
          ...countries.map((value) => ({ value, label: countryName(value) })),
        ]}
        onChange={(country) => change({ country })}
      />
      <Choice
        label="API key"
        value={search.api_key}
        options={[
          { value: '', label: 'All Keys' },
          ...withChosen(search.api_key, [...named.keys()]).map((value) => ({
            value,
            label: named.get(value) ?? 'Deleted key',
          })),
        ]}
        onChange={(api_key) => change({ api_key })}
      />
    </fieldset>
  );
}

const withChosen = (chosen: string, values: string[]): string[] =>
  chosen === '' || values.includes(chosen) ? values : [...values, chosen];

/** The longest range that the service accepts. It exceeds the retention of single verifications. */
const MOST_DAYS = 399;

/** Changing one day moves the other, so that the range stays valid. */
function Days({ search: { from, to }, change }: Pick<Props, 'search' | 'change'>) {
  const max = today(zoneName());
  const earliest = dayAfter(to, -MOST_DAYS);
  const latest = dayAfter(from, MOST_DAYS);
  return (
    <>
      <DateInput
        label="From"
        type="date"
        isRequired
        value={from}
        max={max}
        onChange={(day) =>
          change({ from: day, to: day > to ? day : day < earliest ? dayAfter(day, MOST_DAYS) : to })
        }
      />
      <DateInput
        label="To"
        type="date"
        isRequired
        value={to}
        max={max}
        onChange={(day) =>
          change({ to: day, from: day < from ? day : day > latest ? dayAfter(day, -MOST_DAYS) : from })
        }
      />
    </>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

const Choice = <V extends string>({ label, value, options, onChange }: ChoiceProps<V>) => (
  <NativeSelect
    aria-label={label}
    value={value}
    data={[...options]}
    onChange={(event) => onChange(event.currentTarget.value as V)}
  />
);
