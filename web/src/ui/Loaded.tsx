import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryError } from './QueryError.tsx';

interface Props<T> {
  query: UseQueryResult<T>;
  /** error text: 'Failed to load profile' */
  failure: string;
  children: (data: T) => ReactNode;
}

/** Renders a panel's content, its loading state or its error. */
export function Loaded<T>({ query, failure, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <QueryError query={query} message={failure} />;
  return (
    <p role="status" aria-busy="true" style={{ minHeight: '12rem', margin: 0, color: 'var(--ink-soft)' }}>
      Loading...
    </p>
  );
}
