import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLabel } from './labels.ts';

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
 * A field for a day or a time. An incomplete entry changes nothing yet. The field keeps the typed text until it loses the
 * focus: the value follows with the URL a moment later and would overwrite newer typing.
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
      {...useLabel(label)}
      value={draft ?? value}
      onChange={(event) => change(event.currentTarget)}
      onBlur={() => setDraft(undefined)}
    />
  );
}
