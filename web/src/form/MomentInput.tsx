import { NativeSelect, TextInput } from '@mantine/core';
import { localTime } from '@sixdigit/contract/local-time.ts';
import { type ReactNode, useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { timeZone, zoneName } from '../ui/dates.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

interface Props {
  label: string;
  /** what an empty field means: 'Never' */
  otherwise: string;
  /** from now on: 'In 30 days' */
  presets: readonly { label: string; ms: number }[];
  description?: ReactNode;
  /** a time in the dashboard's time zone, '2030-01-31T09:00'; '' for none */
  value?: string;
  onChange: (value: string) => void;
  error?: ReactNode;
}

const CHOSEN = 'chosen';

/** A time in the future: one of the presets, or a date and time. */
export function MomentInput({
  label,
  otherwise,
  presets,
  value = '',
  onChange,
  error,
  description,
  ...props
}: Props) {
  const [preset, setPreset] = useState(value === '' ? '' : CHOSEN);
  // A form that resets its values resets the choice.
  const shown = value === '' && preset !== CHOSEN ? '' : preset === '' ? CHOSEN : preset;
  const isChosen = shown === CHOSEN;
  const choose = (next: string): void => {
    setPreset(next);
    const found = presets.find(({ ms }) => String(ms) === next);
    if (found) onChange(localTime(new Date(nowMs() + found.ms), zoneName()));
    else if (next === '') onChange('');
  };
  return (
    <div className="grid gap-2">
      <NativeSelect
        label={label}
        description={isChosen ? undefined : description}
        error={isChosen ? undefined : error}
        data={[
          { value: '', label: otherwise },
          ...presets.map(({ label: text, ms }) => ({ value: String(ms), label: text })),
          { value: CHOSEN, label: 'At a date and time' },
        ]}
        value={shown}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        {...(!isChosen && props)}
      />
      {isChosen ? (
        <TextInput
          type="datetime-local"
          aria-label={`${label}: date and time`}
          description={`In ${timeZone()}.`}
          error={error}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          {...props}
        />
      ) : null}
    </div>
  );
}
