import type { TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { deployment } from '../api/deployment.ts';

export interface PhoneInputProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  value?: string;
  onChange: (value: string) => void;
  /** for numbers that are not the user's own: every country, also where users can have only some */
  isOfAnyCountry?: boolean;
}

const NORTH_AMERICA: readonly string[] = ['US', 'CA'];

export const isNorthAmerican = (country: string): boolean => NORTH_AMERICA.includes(country);

/** Whether the deployment accepts only numbers after a fixed +1. */
export function isNorthAmericanOnly(): boolean {
  const { default_country, phone_countries } = deployment();
  return [default_country, ...phone_countries].every(isNorthAmerican);
}

/** Below the field, while the number looks wrong. */
export const PhoneWarning = ({ children }: { children: ReactNode }) => (
  <p className="mt-[0.3rem] mb-0 text-13 text-orange empty:m-0" role="status">
    {children}
  </p>
);
