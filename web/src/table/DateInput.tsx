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

/** A field for a day or a time. A year that is still being typed changes nothing yet. */
export function DateInput({ label, value, onChange, isRequired = false, ...input }: Props) {
  const [draft, setDraft] = useState<string>();
  const change = (text: string): void => {
    const isComplete = text === '' ? !isRequired : text >= '2000';
    setDraft(isComplete ? undefined : text);
    if (isComplete) onChange(text);
  };
  return (
    <TextInput
      {...input}
      aria-label={label}
      value={draft ?? value}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setDraft(undefined)}
    />
  );
}
