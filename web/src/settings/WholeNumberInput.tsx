import { TextInput, type TextInputProps } from '@mantine/core';
import classes from './Settings.module.css';

/** What a field of digits says; what is empty or no number at all falls back. */
export function wholeNumber<F>(text: string, fallback: F): number | F {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? Math.trunc(number) : fallback;
}

interface Props extends Omit<TextInputProps, 'onChange' | 'value' | 'onBlur'> {
  value?: string;
  onChange: (value: string) => void;
  /** shown in place of what is no number once the field is left; undefined empties it */
  fallback: number | undefined;
  unit: string;
}

export const WholeNumberInput = ({ value = '', onChange, fallback, unit, ...props }: Props) => (
  <TextInput
    inputMode="numeric"
    autoComplete="off"
    maxLength={9}
    rightSection={
      <span className={classes.unit} aria-hidden>
        {unit}
      </span>
    }
    rightSectionWidth={76}
    rightSectionProps={{ className: classes.unitSection }}
    rightSectionPointerEvents="none"
    {...props}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onBlur={() => onChange(String(wholeNumber(value, fallback) ?? ''))}
  />
);
