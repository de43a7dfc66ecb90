import { TextInput } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.ts';
import type { CountrySelectProps } from './CountrySelect.tsx';

/** Loaded where it is shown, because it brings the list of countries. */
const CountrySelect = lazyPart(async () => (await import('./CountrySelect.tsx')).CountrySelect);

/** The picker of one country. */
export const CountryInput = (props: CountrySelectProps) => (
  <Suspense
    fallback={
      <TextInput
        disabled
        label={props.label}
        aria-label={props['aria-label']}
        description={props.description}
        placeholder="Loading..."
      />
    }
  >
    <CountrySelect {...props} />
  </Suspense>
);
