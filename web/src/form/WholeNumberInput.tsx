import { TextInput, type TextInputProps } from '@mantine/core';
import { wholeNumber } from './whole-number.ts';

interface Props extends Omit<TextInputProps, 'onChange' | 'value' | 'onBlur'> {
  value?: string;
  onChange: (value: string) => void;
  /** replaces an invalid text on blur; undefined clears the field */
  fallback: number | undefined;
  unit: string;
}

/** A whole number with its unit. */
export const WholeNumberInput = ({ value = '', onChange, fallback, unit, ...props }: Props) => (
  <TextInput
    inputMode="numeric"
    autoComplete="off"
    maxLength={9}
    rightSection={
      <span className="text-13 text-ink-soft" aria-hidden>
        {unit}
      </span>
    }
    rightSectionWidth={76}
    rightSectionProps={{ className: 'justify-end pe-3' }}
    rightSectionPointerEvents="none"
    {...props}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onBlur={() => onChange(String(wholeNumber(value, fallback) ?? ''))}
  />
);
