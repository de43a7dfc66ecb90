import { VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadingLines } from './LoadingLines.tsx';
import { QueryError } from './QueryError.tsx';

interface Props<T> {
  query: UseQueryResult<T>;
  /** error text: 'Failed to load profile' */
  failure: string;
  /** shown while it loads; left out: four lines */
  waiting?: ReactNode;
  children: (data: T) => ReactNode;
}

/** The content of a query, its loading state, or its error with a button to try again, which stays while the query is repeated. */
export function Loaded<T>({ query, failure, waiting, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.errorUpdateCount > 0) return <QueryError query={query} message={failure} />;
  if (waiting === undefined) return <LoadingLines />;
  return (
    <div role="status" aria-busy="true">
      <VisuallyHidden>Loading...</VisuallyHidden>
      {waiting}
    </div>
  );
}
