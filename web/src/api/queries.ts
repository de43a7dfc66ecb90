import { hashKey, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query';
import { isSignedIn } from './session.ts';
import { ApiError } from './wire.ts';

/** The key of the signed-in user. */
const ME = ['users', 'me'];

/** A read that timed out is not retried. */
const isPassing = (cause: unknown): boolean =>
  !(cause instanceof ApiError) || ((cause.status === 0 || cause.status >= 500) && cause.reason !== 'timeout');

/**
 * Queries refetch on focus, mount and reconnect. A stale time of two seconds prevents a second fetch right after a preload on
 * hover. Query errors go to the console only.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, query) => {
      console.error('Query failed', query.queryKey, cause);
      // Perhaps the user is not a member of the account any more.
      const isLost = cause instanceof ApiError && cause.status === 404 && query.queryHash !== hashKey(ME);
      if (isLost && isSignedIn()) void queryClient.invalidateQueries({ queryKey: ME });
    },
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

/** Waits until no query is in flight, or none of these, but at most `mostMs`. */
export function noneFetching(queryClient: QueryClient, mostMs: number, of: QueryFilters = {}): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(end, mostMs);
    const check = (): void => {
      if (queryClient.isFetching(of) === 0) end();
    };
    const unsubscribe = queryClient.getQueryCache().subscribe(check);
    check();
  });
}
