import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadError } from '../../ui/LoadError.tsx';
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
    return (
      <LoadError
        title="Error loading data"
        message={failure}
        onRetry={() => void query.refetch()}
        isRetrying={query.isFetching}
      />
    );
  }
  return (
    <p className={classes.loading} role="status">
      Loading...
    </p>
  );
}
