import { Alert, Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { busyButton } from './busy-button.ts';

interface Props<T> {
  query: UseQueryResult<T>;
  /** error text: 'Failed to load profile' */
  failure: string;
  /** shown while it loads, or the number of lines; default: four */
  waiting?: ReactElement | number;
  children: (data: T) => ReactNode;
}

/** Whether a query's content could not be loaded. Stays true during a retry, so that the screen does not flicker. */
export const hasFailed = ({ data, errorUpdateCount }: Failing): boolean =>
  data === undefined && errorUpdateCount > 0;

type Failing = Pick<UseQueryResult<unknown>, 'data' | 'errorUpdateCount'>;

/** A placeholder, which screen readers announce as loading. */
export const Placeholder = ({ children }: { children: ReactNode }) => (
  <div role="status" aria-busy="true">
    <VisuallyHidden>Loading...</VisuallyHidden>
    {children}
  </div>
);

/** A query's content, its loading state, or its error with a retry button, which stays during the retry. */
export function Loaded<T>({ query, failure, waiting, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (hasFailed(query)) return <QueryError query={query} message={failure} />;
  if (typeof waiting !== 'object') return <LoadingLines lines={waiting} />;
  return <Placeholder>{waiting}</Placeholder>;
}

const SHARES = [58, 84, 40, 70];

/** A placeholder for content that is loading. */
export const LoadingLines = ({ lines = SHARES.length }: { lines?: number | undefined }) => (
  <Placeholder>
    {SHARES.slice(0, lines).map((share) => (
      <Skeleton key={share} height={12} my={22} width={`${share}%`} radius="xl" />
    ))}
  </Placeholder>
);

interface ErrorProps {
  title: string;
  message?: string | undefined;
  onRetry: () => void;
  isRetrying?: boolean;
}

/** Replaces content that could not be loaded. */
export const LoadError = ({ title, message, onRetry, isRetrying }: ErrorProps) => (
  <Alert
    color="red"
    variant="light"
    icon={<IconAlertTriangle aria-hidden />}
    classNames={{ wrapper: 'items-center' }}
  >
    <div className="flex items-center justify-between gap-4">
      <div className="min-w-0">
        <strong className="font-600 text-error">{title}</strong>
        {message ? <p className="m-0">{message}</p> : null}
      </div>
      <Button
        className="flex-none"
        size="compact-sm"
        color="red"
        variant="outline"
        {...busyButton(isRetrying ?? false)}
        onClick={() => {
          if (!isRetrying) onRetry();
        }}
      >
        Try Again
      </Button>
    </div>
  </Alert>
);

interface QueryErrorProps {
  query: Failed;
  /** above the message, which then stands for the cause */
  title?: string | undefined;
  message: string;
}

/** Replaces the content of a failed query with what failed and why. Its button is busy only during the user's own retry. */
export function QueryError({ query, title, message }: QueryErrorProps) {
  const [isRetrying, setRetrying] = useState(false);
  // Read during rendering, because a query reports changes only of the properties that were read.
  const { error, isFetching, refetch } = query;
  const retry = (): void => {
    setRetrying(true);
    void tryAgain({ isFetching, refetch }).finally(() => setRetrying(false));
  };
  const texts = title ? { title, message } : { title: message, message: error?.message };
  return <LoadError {...texts} onRetry={retry} isRetrying={isRetrying} />;
}

interface Failed {
  error: Error | null;
  isFetching: boolean;
  refetch: () => Promise<{ isError: boolean }>;
}

/** Retries a failed query. If a fetch is already in flight, it may fail for the old reason, so another one follows it. */
export async function tryAgain({ isFetching, refetch }: Omit<Failed, 'error'>): Promise<void> {
  const { isError } = await refetch();
  if (isFetching && isError) await refetch();
}
