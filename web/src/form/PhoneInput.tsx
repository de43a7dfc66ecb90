import { TextInput, type TextInputProps } from '@mantine/core';
import classes from './PhoneInput.module.css';

export const PHONE_LENGTH = 14;

/** Formats typed digits as (555) 123-4567 and drops a pasted +1. */
export function formatPhone(text: string): string {
  const all = text.replace(/\D/g, '');
  const digits = (all.length > 10 && all.startsWith('1') ? all.slice(1) : all).slice(0, 10);
  if (digits.length < 4) return digits;
  if (digits.length < 7) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
}

export const phoneDigits = (text: string): string => text.replace(/\D/g, '');

interface Props extends Omit<TextInputProps, 'onChange' | 'value'> {
  value?: string;
  onChange: (value: string) => void;
}

/** A US number after a fixed +1. The value is the formatted text. */
export const PhoneInput = ({ value = '', onChange, ...props }: Props) => (
  <TextInput
    type="tel"
    inputMode="tel"
    autoComplete="tel-national"
    placeholder="(555) 123-4567"
    leftSection={<span className={classes.prefix}>+1</span>}
    leftSectionWidth={42}
    {...props}
    value={value}
    onChange={(event) => onChange(formatPhone(event.currentTarget.value))}
    onPaste={(event) => {
      // maxLength would cut a pasted +1 555… before the handler reads it.
      event.preventDefault();
      onChange(formatPhone(event.clipboardData.getData('text')));
    }}
    maxLength={PHONE_LENGTH}
  />
);
