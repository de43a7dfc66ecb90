import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Combobox.layer.css';
import './country-select.css';
import { type ComboboxItem, type ComboboxParsedItem, Select, type SelectProps } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { type KeyboardEvent, useMemo } from 'react';
import { countriesLike, countriesOf } from './countries.ts';

export interface CountrySelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange' | 'clearable'> {
  /** the offered countries; `*` means all */
  countries?: readonly string[];
  /** ISO 3166-1 alpha-2; '' for none */
  value?: string;
  onChange: (country: string) => void;
  /** The field can be empty. */
  isOptional?: boolean;
  /** Shows the dial code in the field too. */
  withDialCode?: boolean;
}

const EVERY = ['*'] as const;
const isItem = (option: ComboboxParsedItem): option is ComboboxItem => 'value' in option;

/** A country, found by its name, code or dial code. Other text is discarded, so that the value is always a country. */
export function CountrySelect({
  countries = EVERY,
  value = '',
  onChange,
  isOptional = false,
  withDialCode = false,
  ...props
}: CountrySelectProps) {
  const key = countries.join(' ');
  const offered = useMemo(() => {
    const codes = key.split(' ');
    // A stored country stays visible after the deployment has removed it.
    return countriesOf(
      value === '' || codes.includes('*') || codes.includes(value) ? codes : [...codes, value],
    );
  }, [key, value]);
  const data = useMemo(
    () =>
      offered.map(({ code, name, dial }) => ({
        value: code,
        label: withDialCode ? `${dial} ${name}` : name,
      })),
    [offered, withDialCode],
  );
  return (
    <Select
      {...props}
      data={data}
      value={value === '' ? null : value}
      onChange={(country) => onChange(country ?? '')}
      searchable
      selectFirstOptionOnChange
      clearable={isOptional && value !== ''}
      allowDeselect={false}
      autoComplete="off"
      spellCheck={false}
      rightSection={isOptional && value !== '' ? undefined : <IconSelector size={16} aria-hidden />}
      clearButtonProps={{ 'aria-label': 'Clear the country' }}
      nothingFoundMessage="No country matches."
      // The list itself scrolls, as assistive technology expects of a list box.
      withScrollArea={false}
      classNames={{ options: 'max-h-72 overflow-y-auto pe-1' }}
      withCheckIcon={false}
      filter={({ options, search }) => {
        const byCode = new Map(options.filter(isItem).map((option) => [option.value, option]));
        // The chosen label, which the field shows when it opens, is not a search.
        const chosen = byCode.get(value);
        return countriesLike(offered, search === chosen?.label ? '' : search).flatMap(
          ({ code }) => byCode.get(code) ?? [],
        );
      }}
      renderOption={({ option }) => {
        const country = offered.find(({ code }) => code === option.value);
        return (
          <span className="flex flex-1 justify-between gap-3">
            {country?.name}
            <span className="tabular-nums">{country?.dial}</span>
          </span>
        );
      }}
      onFocus={(event) => event.currentTarget.select()}
      onKeyDownCapture={chooseMarked}
    />
  );
}

/**
 * Enter chooses the highlighted option. Mantine would choose by an index that it reads shortly after the list opens, which is
 * outdated if the user has typed meanwhile: Enter would then submit the form.
 */
function chooseMarked(event: KeyboardEvent<HTMLInputElement>): void {
  // 229: Enter ends the input of a composed character.
  if (event.key !== 'Enter' || event.keyCode === 229) return;
  const list = document.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '');
  const marked = list?.querySelector<HTMLElement>('[data-combobox-selected]');
  if (!marked) return;
  event.preventDefault();
  event.stopPropagation();
  marked.click();
}
