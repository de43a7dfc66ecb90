import { NativeSelect } from '@mantine/core';
import { useLabel } from './labels.ts';
import type { List } from './list.ts';

interface Props<S, K extends keyof S> {
  list: Pick<List<S>, 'search' | 'change'>;
  name: K;
  /** 'Time period' */
  label: string;
  options: readonly { value: S[K] & string; label: string }[];
}

/** A list filter as a native select. A change resets the page to 1. */
export function FilterSelect<S, K extends keyof S & string>({ list, name, label, options }: Props<S, K>) {
  return (
    <NativeSelect
      {...useLabel(label)}
      value={list.search[name] as string}
      onChange={(event) => list.change({ [name]: event.currentTarget.value } as Partial<S>)}
    >
      {options.map(({ value, label: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </NativeSelect>
  );
}
