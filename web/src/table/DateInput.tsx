import { TextInput } from '@mantine/core';
import { useState } from 'react';

interface Props {
  label: string;
  type: 'date' | 'datetime-local';
  value: string;
  onChange: (value: string) => void;
  max?: string | undefined;
  /** An empty field keeps the value. */
  isRequired?: boolean;
}

/**
 * A field for a day or a time. A part that is still being typed changes nothing yet. The typed text stays until the field is left,
 * because the value follows with the address, a moment later, and would replace what is typed next.
 */
export function DateInput({ label, value, onChange, isRequired = false, ...input }: Props) {
  const [draft, setDraft] = useState<string>();
  const change = ({ value: text, validity }: HTMLInputElement): void => {
    const isComplete = text === '' ? !isRequired && !validity.badInput : text >= '2000';
    setDraft(text);
    if (isComplete) onChange(text);
  };
  return (
    <TextInput
      {...input}
      aria-label={label}
      value={draft ?? value}
      onChange={(event) => change(event.currentTarget)}
      onBlur={() => setDraft(undefined)}
    />
  );
}
