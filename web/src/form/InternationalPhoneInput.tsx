import { Input, NativeSelect, TextInput } from '@mantine/core';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumber,
} from 'libphonenumber-js/min';
import { useId, useMemo, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { countryOf, internationalText, nationalText, withOwnCode } from './phone-country.ts';
import { isNorthAmerican, type PhoneInputProps, PhoneWarning } from './phone-field.tsx';
import { northAmericanText } from './phone-text.ts';

/**
 * A number of any country that the deployment allows: a picker of the country next to the national number. Numbers after +1 are formatted
 * as in the field for them alone.
 */
export function InternationalPhoneInput({ value = '', onChange, error, ...props }: PhoneInputProps) {
  const id = useId();
  const { default_country, phone_countries } = deployment();
  const options = useMemo(() => countryOptions(phone_countries), [phone_countries]);
  const [picked, setPicked] = useState<CountryCode>();
  const country = picked ?? countryOf(value) ?? startCountry(options, default_country);
  const { label, description, inputWrapperOrder, ...input } = props;
  const isAfterOne = isNorthAmerican(country);
  const formatted = (text: string): string =>
    isAfterOne && withOwnCode(text, country) === undefined ? northAmericanText(text) : text;
  const national = formatted(nationalText(value, country));

  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      {...(inputWrapperOrder && { inputWrapperOrder })}
    >
      <div className="grid grid-cols-[minmax(7rem,11rem)_minmax(0,1fr)] gap-2">
        <NativeSelect
          aria-label="Country"
          value={country}
          data={options}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.value as CountryCode;
            setPicked(chosen);
            onChange(internationalText(national, chosen));
          }}
        />
        <TextInput
          type="tel"
          inputMode="tel"
          autoComplete="tel-national"
          maxLength={60}
          {...(isAfterOne && { placeholder: '(555) 123-4567' })}
          {...input}
          id={id}
          error={error ? true : undefined}
          value={national}
          onChange={({ currentTarget }) => {
            const text = currentTarget.value;
            // A number with its own country code chooses the country.
            if (withOwnCode(text, country) !== undefined) setPicked(undefined);
            onChange(internationalText(text, country));
          }}
        />
      </div>
      <PhoneWarning>
        {error || isPlausible(value) ? null : 'This does not look like a phone number of the chosen country.'}
      </PhoneWarning>
    </Input.Wrapper>
  );
}

const names = new Intl.DisplayNames('en-US', { type: 'region' });

function countryOptions(allowed: readonly string[]): { value: CountryCode; label: string }[] {
  const all = getCountries();
  return all
    .filter((country) => allowed.includes('*') || allowed.includes(country))
    .map((country) => ({
      value: country,
      label: `${names.of(country) ?? country} +${getCountryCallingCode(country)}`,
    }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en-US'));
}

const startCountry = (options: { value: CountryCode }[], preferred: string): CountryCode =>
  (options.find(({ value }) => value === preferred) ?? options[0])?.value ?? 'US';

/** Short numbers are still being typed. */
function isPlausible(value: string): boolean {
  if (value.replace(/\D/g, '').length < 10) return true;
  try {
    return parsePhoneNumber(value).isPossible();
  } catch {
    return false;
  }
}
