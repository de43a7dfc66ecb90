import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type Country, countriesLike } from './countries.ts';

interface Props {
  /** the offered countries */
  countries: readonly Country[];
  value: readonly string[];
  onChange: (codes: string[]) => void;
  error?: ReactNode;
}

/** The picker of several countries: a list of checkboxes with a search. */

export function CountriesInput({ countries, value: chosen, onChange, error }: Props) {
  const [search, setSearch] = useState('');
  const shown = countriesLike(countries, search);
  const isChosen = new Set(chosen);
  return (
    <div className="grid grid-cols-1 gap-2">
      <TextInput
        type="search"
        autoComplete="off"
        enterKeyHint="search"
        spellCheck={false}
        aria-label="Search countries"
        placeholder="Search countries..."
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        // Enter would save the form.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-13 text-ink-soft tabular-nums">
        <span role="status">
          {chosen.length} of {countries.length} chosen
        </span>
        <span className="flex flex-wrap">
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onChange([...new Set([...chosen, ...shown.map(({ code }) => code)])])}
          >
            {search === '' ? 'Choose All' : 'Choose These'}
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            onClick={() => onChange(chosen.filter((code) => !shown.some((country) => country.code === code)))}
          >
            {search === '' ? 'Choose None' : 'Remove These'}
          </Button>
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="m-0 text-13 text-ink-soft">No country matches “{search}”.</p>
      ) : null}
      <ul
        className="m-0 grid max-h-72 grid-cols-[repeat(auto-fill,minmax(min(13rem,100%),1fr))] list-none overflow-y-auto rounded-10 border border-line p-1.5 empty:hidden"
        aria-label="Countries"
      >
        {shown.map(({ code, name, dial }) => (
          <li key={code}>
            <label className="flex min-h-8 cursor-pointer items-center gap-2 rounded-6 px-2 text-14 hover:bg-sunken touch:min-h-11">
              <input
                type="checkbox"
                className="size-4 flex-none accent-accent"
                checked={isChosen.has(code)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(checked ? [...chosen, code] : chosen.filter((one) => one !== code))
                }
              />
              <span className="min-w-0 flex-1">{name}</span>
              <span className="text-13 text-ink-soft tabular-nums">{dial}</span>
            </label>
          </li>
        ))}
      </ul>
      {error ? (
        <p role="alert" className="m-0 text-12 text-error">
          {error}
        </p>
      ) : null}
    </div>
  );
}
