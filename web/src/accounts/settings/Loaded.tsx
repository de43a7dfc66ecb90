import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryError } from '../../ui/QueryError.tsx';
import classes from './Settings.module.css';

interface Props<T> {
  query: UseQueryResult<T>;
  /** error text: 'Failed to load profile' */
  failure: string;
  children: (data: T) => ReactNode;
}

/** Renders a panel's content, its loading state or its error. */
export function Loaded<T>({ query, failure, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return <QueryError query={query} message={failure} />;
  }
  return (
    <p className={classes.loading} role="status">
      Loading...
    </p>
  );
}
