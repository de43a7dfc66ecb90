import { useState } from 'react';
import { LoadError } from './LoadError.tsx';

interface Props {
  query: { refetch: () => Promise<unknown> };
  title?: string;
  message?: string;
}

/** Replaces the content of a query that failed. Its button repeats the query, and is busy only for the user's own try. */
export function QueryError({ query, title = 'Error loading data', message }: Props) {
  const [isRetrying, setRetrying] = useState(false);
  const retry = (): void => {
    setRetrying(true);
    void query.refetch().finally(() => setRetrying(false));
  };
  return <LoadError title={title} {...(message && { message })} onRetry={retry} isRetrying={isRetrying} />;
}
