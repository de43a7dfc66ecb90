import { keepPreviousData, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './wire.ts';

const isPassing = (cause: unknown): boolean =>
  !(cause instanceof ApiError) || cause.status === 0 || cause.status >= 500;

/**
 * What is on screen is asked again on focus, mount and reconnect; the two seconds keep what the pointer's
 * hovering has just fetched from being fetched twice. Errors of queries go to the console only.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, query) => console.error('Query failed', query.queryKey, cause),
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnMount: true,
      refetchOnWindowFocus: 'always',
      refetchOnReconnect: 'always',
      retry: (failures, cause) => failures < 1 && isPassing(cause),
      retryDelay: 500,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** For lists: the old page stays until the new one is there. */
export const keepPrevious = { placeholderData: keepPreviousData };
