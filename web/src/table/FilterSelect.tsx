import { Select } from '@mantine/core';
import type { List } from './list.ts';

interface Props<S, K extends keyof S> {
  list: List<S>;
  name: K;
  /** for screen readers: 'Time period' */
  label: string;
  options: readonly { value: S[K] & string; label: string }[];
}

/** One filter of a list as a dropdown; a choice leads to page 1. */
export function FilterSelect<S, K extends keyof S & string>({ list, name, label, options }: Props<S, K>) {
  return (
    <Select
      aria-label={label}
      data={options.map((option) => ({ ...option }))}
      value={list.search[name] as string}
      onChange={(value) => list.change({ [name]: value } as Partial<S>)}
      allowDeselect={false}
      checkIconPosition="right"
      comboboxProps={{ withinPortal: true, shadow: 'md' }}
    />
  );
}
