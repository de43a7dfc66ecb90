import { lazy, Suspense } from 'react';
import { NorthAmericanPhoneInput } from './NorthAmericanPhoneInput.tsx';
import { isNorthAmericanOnly, type PhoneInputProps } from './phone-field.ts';

/** Loaded only where it is used, because it brings the numbering plans of all countries. */
const InternationalPhoneInput = lazy(async () => ({
  default: (await import('./InternationalPhoneInput.tsx')).InternationalPhoneInput,
}));

/** A phone number. The value is the text in the field. */
export const PhoneInput = (props: PhoneInputProps) =>
  isNorthAmericanOnly() ? (
    <NorthAmericanPhoneInput {...props} />
  ) : (
    <Suspense>
      <InternationalPhoneInput {...props} />
    </Suspense>
  );
