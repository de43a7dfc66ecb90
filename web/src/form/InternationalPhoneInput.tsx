import { Input, TextInput } from '@mantine/core';
import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { useId, useState } from 'react';
import { useDeployment } from '../api/deployment.ts';
import { CountrySelect } from './CountrySelect.tsx';
import { isNorthAmerican, type PhoneInputProps, PhoneWarning } from './phone-field.tsx';
import { northAmericanText } from './phone-text.ts';

/** The field's value is international, '+44 20 7946 0958'; the user edits the national part, '20 7946 0958'. */

/** The country of an international number, if it is known. */
export const countryOf = (value: string): CountryCode | undefined =>
  parsePhoneNumberFromString(value)?.country;

const prefixOf = (country: CountryCode): string => `+${getCountryCallingCode(country)}`;

/** The value without the country code. */
export function nationalText(value: string, country: CountryCode): string {
  const prefix = prefixOf(country);
  return value.startsWith(prefix) ? value.slice(prefix.length).trimStart() : value;
}

/** The text as an international number, if it begins with + or with the prefix for international calls. */
function withOwnCode(text: string, country: CountryCode): string | undefined {
  const number = kept(text).replace(prefixOf(country) === '+1' ? /^(?:00|011)\s*/ : /^00\s*/, '+');
  return number.startsWith('+') ? number : undefined;
}

/** The value of a national text, or of one with its own country code. */
export function internationalText(text: string, country: CountryCode): string {
  if (kept(text) === '') return '';
  return withOwnCode(text, country) ?? `${prefixOf(country)} ${kept(text)}`;
}

/** While it is typed, a number keeps its spaces. */
const kept = (text: string): string =>
  (/^\+?[\d\s()-]*$/.test(text) ? text : plainPhone(text)).replace(/[^\d\s()+-]/g, '').trimStart();

/**
 * A number of any country that the deployment allows: a picker of the country next to the national number. Numbers after +1 are formatted
 * as in the field for them alone.
 */
export function InternationalPhoneInput({
  value = '',
  onChange,
  error,
  isOfAnyCountry = false,
  ...props
}: PhoneInputProps) {
  const id = useId();
  const { default_country, phone_countries } = useDeployment();
  const options = isOfAnyCountry ? ['*'] : phone_countries;
  const [picked, setPicked] = useState<CountryCode>();
  const [typed, setTyped] = useState<string>();
  const country = picked ?? countryOf(value) ?? startCountry(options, default_country);
  const { label, description, ...input } = props;
  const isAfterOne = isNorthAmerican(country);
  const formatted = (text: string): string =>
    isAfterOne && withOwnCode(text, country) === undefined ? northAmericanText(text) : text;
  // While it is typed, a number keeps its spaces.
  const national = formatted(nationalText(typed === value ? value : groupedText(value), country));

  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <div
        className={`grid gap-2 sm:grid-cols-[minmax(6.5rem,10rem)_minmax(0,1fr)] ${description ? 'mb-1.5' : ''}`}
      >
        <CountrySelect
          aria-label="Country"
          countries={options}
          withDialCode
          disabled={props.disabled ?? false}
          value={country}
          onChange={(code) => {
            const chosen = code as CountryCode;
            setPicked(chosen);
            onChange(internationalText(national, chosen));
          }}
        />
        <TextInput
          type="tel"
          inputMode="tel"
          autoComplete="tel-national"
          maxLength={60}
          placeholder={isAfterOne ? '(555) 123-4567' : exampleOf(country)}
          {...input}
          id={id}
          error={error ? true : undefined}
          value={national}
          onChange={({ currentTarget }) => {
            const text = currentTarget.value;
            // A number with its own country code selects that country.
            if (withOwnCode(text, country) !== undefined) setPicked(undefined);
            const next = internationalText(text, country);
            setTyped(next);
            onChange(next);
          }}
          onBlur={(event) => {
            input.onBlur?.(event);
            setTyped(undefined);
          }}
        />
      </div>
      <PhoneWarning>
        {error || isPlausible(value) ? null : 'This does not look like a phone number of the chosen country.'}
      </PhoneWarning>
    </Input.Wrapper>
  );
}

const startCountry = (allowed: readonly string[], preferred: string): CountryCode =>
  (allowed.includes('*') || allowed.includes(preferred) ? preferred : (allowed[0] ?? 'US')) as CountryCode;

/** '7400 123456': a mobile number of the country, without its code */
function exampleOf(country: CountryCode): string {
  const example = getExampleNumber(country, examples)?.formatInternational() ?? '';
  return nationalText(example, country);
}

/** The complete number with its country's spaces. An incomplete one stays as typed. */
export function groupedText(value: string): string {
  const number = parsePhoneNumberFromString(value);
  return number?.isValid() && number.countryCallingCode !== '1' ? number.formatInternational() : value;
}

/** A short number is still being typed. */
function isPlausible(value: string): boolean {
  if (value.replace(/\D/g, '').length < 10) return true;
  try {
    return parsePhoneNumber(value).isPossible();
  } catch {
    return false;
  }
}
