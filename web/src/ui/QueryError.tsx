import { LoadError } from './LoadError.tsx';

interface Props {
  query: { refetch: () => unknown; isFetching: boolean };
  title?: string;
  message?: string;
}

/** Replaces the content of a query that failed. Its button repeats the query. */
export const QueryError = ({ query, title = 'Error loading data', message }: Props) => (
  <LoadError
    title={title}
    {...(message && { message })}
    onRetry={() => void query.refetch()}
    isRetrying={query.isFetching}
  />
);
