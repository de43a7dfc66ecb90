import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryError } from '../ui/QueryError.tsx';

interface Props<T> {
  query: UseQueryResult<T>;
  failure: string;
  children: (data: T) => ReactNode;
}

/** The content of a query, its skeleton, or its error with a button to try again. */
export function Loaded<T>({ query, failure, children }: Props<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.errorUpdateCount > 0) return <QueryError query={query} message={failure} />;
  return <Skeleton height={160} radius="md" role="status" aria-label="Loading..." />;
}
