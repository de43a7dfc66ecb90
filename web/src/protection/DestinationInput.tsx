import { TextInput, type TextInputProps } from '@mantine/core';
import type { ListKind } from '@sixdigit/contract/protection/protection.ts';
import { CountryInput } from '../form/CountryInput.tsx';
import { KIND_NAMES } from './block-texts.ts';

const EXAMPLES: Record<Exclude<ListKind, 'country'>, string> = {
  number: '+14155552671',
  prefix: '+1415555',
  address: '203.0.113.0/24',
};

interface Props extends Omit<TextInputProps, 'onChange' | 'value'> {
  kind: ListKind;
  /** `onChange` of a form's field, which takes an event or a value */
  // biome-ignore lint/suspicious/noExplicitAny: as the form declares it
  onChange: (value: any) => void;
  value?: string;
}

/** The value of an entry of the allow list or deny list: a country is chosen, the rest is typed. */
export const DestinationInput = ({ kind, value = '', onChange, ...props }: Props) =>
  kind === 'country' ? (
    <CountryInput
      label={KIND_NAMES[kind]}
      placeholder="Choose a country"
      value={value}
      onChange={onChange}
      error={props.error}
    />
  ) : (
    <TextInput
      label={KIND_NAMES[kind]}
      autoComplete="off"
      placeholder={EXAMPLES[kind]}
      inputMode={kind === 'address' ? 'text' : 'tel'}
      autoCapitalize="none"
      maxLength={60}
      spellCheck={false}
      {...props}
      value={value}
      onChange={onChange}
    />
  );

/** The value after a change of the kind. */
export const valueAfter = (before: ListKind, kind: ListKind, value: string): string =>
  (before === 'country') === (kind === 'country') ? value : '';
