import { useState } from 'react';
import { LoadError } from './LoadError.tsx';
import { tryAgain } from './try-again.ts';

interface Props {
  query: Parameters<typeof tryAgain>[0];
  title?: string;
  message?: string;
}

/** Replaces the content of a query that failed. Its button repeats the query, and is busy only for the user's own try. */
export function QueryError({ query, title = 'Error loading data', message }: Props) {
  const [isRetrying, setRetrying] = useState(false);
  // read while drawing: a query tells only of what was read of it
  const { isFetching, refetch } = query;
  const retry = (): void => {
    setRetrying(true);
    void tryAgain({ isFetching, refetch }).finally(() => setRetrying(false));
  };
  return <LoadError title={title} {...(message && { message })} onRetry={retry} isRetrying={isRetrying} />;
}
