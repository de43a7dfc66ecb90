import { Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { CountriesInput } from './CountriesInput.tsx';
import { countriesOf } from './countries.ts';

interface Props {
  label: string;
  description?: ReactNode;
  /** the name of the choice that needs no list: 'All countries' */
  otherwise: string;
  /** undefined: otherwise */
  value: readonly string[] | undefined;
  onChange: (codes: readonly string[] | undefined) => void;
  error?: ReactNode;
}

const countries = countriesOf(['*']);

/** Some countries, or the choice that needs no list. */
export const CountryChoice = ({ label, description, otherwise, value, onChange, error }: Props) => (
  <Input.Wrapper label={label} description={description} labelElement="div">
    <div className="mb-1.5 grid gap-2.5">
      <SegmentedControl
        aria-label={label}
        className="justify-self-start"
        data={[
          { value: 'otherwise', label: otherwise },
          { value: 'chosen', label: 'Only selected' },
        ]}
        value={value ? 'chosen' : 'otherwise'}
        onChange={(choice) => onChange(choice === 'chosen' ? [] : undefined)}
      />
      {value ? (
        <CountriesInput countries={countries} value={value} onChange={onChange} error={error} />
      ) : error ? (
        <Input.Error>{error}</Input.Error>
      ) : null}
    </div>
  </Input.Wrapper>
);
