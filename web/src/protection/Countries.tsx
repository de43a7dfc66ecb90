import { Button, TextInput } from '@mantine/core';
import {
  MODES,
  type Mode,
  type Protection,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { IconSearch } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { z } from 'zod';
import { call } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { useUnsaved } from '../form/UnsavedChanges.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { toast } from '../ui/toast.ts';
import { type Country, countriesLike, countriesOf } from './countries.ts';
import classes from './Protection.module.css';
import { protectionSettings } from './protection.ts';
import { MODE_NAMES } from './rule-texts.ts';

/** The saved values become the form's initial values. */
export const Countries = ({ settings }: { settings: Protection }) => (
  <CountriesForm key={JSON.stringify(settings.rules.country)} settings={settings} />
);

/** `codes` is one string, because unsaved changes are found by comparing strings. */
const schema = z
  .object({ choice: z.enum(['all', 'chosen']), mode: z.enum(MODES), codes: z.string() })
  .refine(({ choice, codes }) => choice === 'all' || codes !== '', {
    message: 'Choose at least one country.',
    path: ['codes'],
  });
type Values = z.infer<typeof schema>;

const codesOf = (text: string): string[] => (text === '' ? [] : text.split(' '));

function CountriesForm({ settings: { rules, allowed_countries } }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const countries = useMemo(() => countriesOf(allowed_countries), [allowed_countries]);
  const saved: Values = {
    choice: rules.country.countries === null ? 'all' : 'chosen',
    mode: rules.country.mode,
    codes: [...(rules.country.countries ?? [])].sort().join(' '),
  };
  const form = useBodyForm({
    schema,
    initialValues: saved,
    submit: ({ choice, mode, codes }) =>
      call(updateProtection, {
        body: { rules: { country: { mode, countries: choice === 'all' ? null : codesOf(codes) } } },
      }),
    failure: 'Failed to save the countries',
    onSuccess: (changed) => {
      queryClient.setQueryData(protectionSettings.queryKey, changed);
      toast.success('Countries saved');
    },
  });
  useUnsaved('Allowed countries', form, saved);
  const { values, setFieldValue, errors } = form.fields;
  return (
    <Form form={form} label="Allowed countries">
      <SegmentedControl
        aria-label="Countries"
        className="self-start"
        data={[
          { value: 'all', label: `All ${countries.length} countries` },
          { value: 'chosen', label: 'Only selected' },
        ]}
        value={values.choice}
        onChange={(choice) => setFieldValue('choice', choice as Values['choice'])}
      />
      {values.choice === 'chosen' ? (
        <>
          <Picker
            countries={countries}
            chosen={codesOf(values.codes)}
            onChange={(codes) => setFieldValue('codes', [...codes].sort().join(' '))}
          />
          {errors.codes ? (
            <p role="alert" className="m-0 text-12 text-error">
              {errors.codes}
            </p>
          ) : null}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-14">
            <span>Sends to other countries:</span>
            <SegmentedControl
              size="xs"
              aria-label="Mode of Allowed countries"
              data={MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
              value={values.mode}
              onChange={(mode) => setFieldValue('mode', mode as Mode)}
            />
          </div>
        </>
      ) : null}
      <SubmitButton form={form} busy="Saving..." className="self-start">
        Save Countries
      </SubmitButton>
    </Form>
  );
}

interface PickerProps {
  countries: readonly Country[];
  chosen: readonly string[];
  onChange: (codes: string[]) => void;
}

function Picker({ countries, chosen, onChange }: PickerProps) {
  const [search, setSearch] = useState('');
  const shown = countriesLike(countries, search);
  const isChosen = new Set(chosen);
  return (
    <div className="grid grid-cols-1 gap-2">
      <TextInput
        type="search"
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
        className={`${classes.countries} m-0 grid max-h-72 list-none overflow-y-auto rounded-10 border border-line p-1.5 empty:hidden`}
        aria-label="Countries"
      >
        {shown.map(({ code, name }) => (
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
              {name}
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}
