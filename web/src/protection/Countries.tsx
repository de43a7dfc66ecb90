import {
  MODES,
  type Mode,
  type Protection,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { z } from 'zod';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { CountriesInput } from '../form/CountriesInput.tsx';
import { countriesOf } from '../form/countries.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { countryNames } from '../ui/display-names.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { protectionSettings } from './protection.ts';
import type { countriesSchema } from './rule-schemas.ts';
import { MODE_NAMES } from './rule-texts.ts';

type Values = z.infer<typeof countriesSchema>;

const valuesOf = ({ rules: { country } }: Pick<Protection, 'rules'>): Values => ({
  choice: country.countries === null ? 'all' : 'chosen',
  mode: country.mode,
  codes: [...(country.countries ?? [])].sort().join(' '),
});

/** More would not be read. */
const NAMED = 8;

const codesOf = (text: string): string[] => (text === '' ? [] : text.split(' '));

export function Countries({ settings: { rules, allowed_countries } }: { settings: Protection }) {
  const queryClient = useQueryClient();
  const countries = useMemo(() => countriesOf(allowed_countries), [allowed_countries]);
  const saved = valuesOf({ rules });
  const form = useBodyForm({
    schema: async () => (await import('./rule-schemas.ts')).countriesSchema,
    initialValues: saved,
    submit: ({ choice, mode, codes }) =>
      call(updateProtection, {
        body: { rules: { country: { mode, countries: choice === 'all' ? null : codesOf(codes) } } },
      }),
    scope: 'protection',
    failure: 'Failed to save the countries',
    onSuccess: async (changed, sent) => {
      await store(queryClient, protectionSettings, changed);
      form.fields.setValues((now) => followed(now, sent, valuesOf(changed)));
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
          { value: 'all', label: `All countries (${countries.length})` },
          { value: 'chosen', label: 'Only selected' },
        ]}
        value={values.choice}
        onChange={(choice) => setFieldValue('choice', choice as Values['choice'])}
      />
      {values.choice === 'all' && countries.length <= NAMED ? (
        <p className="m-0 text-14 text-ink-soft">{countryNames(countries.map(({ code }) => code))}</p>
      ) : null}
      {values.choice === 'chosen' ? (
        <>
          <CountriesInput
            countries={countries}
            value={codesOf(values.codes)}
            onChange={(codes) => setFieldValue('codes', [...codes].sort().join(' '))}
            error={errors.codes}
          />
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
      <SaveButton form={form}>Save Countries</SaveButton>
    </Form>
  );
}
