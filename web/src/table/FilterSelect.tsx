import { NativeSelect } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { List } from './list.ts';

interface Props<S, K extends keyof S> {
  list: List<S>;
  name: K;
  /** for screen readers: 'Time period' */
  label: string;
  options: readonly { value: S[K] & string; label: string }[];
}

/** One filter of a list as the browser's own dropdown, which a phone shows its own way; a choice leads to page 1. */
export function FilterSelect<S, K extends keyof S & string>({ list, name, label, options }: Props<S, K>) {
  return (
    <NativeSelect
      aria-label={label}
      value={list.search[name] as string}
      onChange={(event) => list.change({ [name]: event.currentTarget.value } as Partial<S>)}
      rightSection={<IconSelector size={16} aria-hidden />}
    >
      {options.map(({ value, label: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </NativeSelect>
  );
}
