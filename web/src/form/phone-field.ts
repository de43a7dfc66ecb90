import type { TextInputProps } from '@mantine/core';
import { deployment } from '../api/deployment.ts';

export interface PhoneInputProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  value?: string;
  onChange: (value: string) => void;
}

const NORTH_AMERICA: readonly string[] = ['US', 'CA'];

export const isNorthAmerican = (country: string): boolean => NORTH_AMERICA.includes(country);

/** Whether the deployment accepts only numbers after a fixed +1. */
export function isNorthAmericanOnly(): boolean {
  const { default_country, phone_countries } = deployment();
  return [default_country, ...phone_countries].every(isNorthAmerican);
}
