import { hashKey, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query';
import { isSignedIn } from './session.ts';
import { isProofWanted } from './step-up.ts';
import { ApiError } from './wire.ts';

/** The key of the signed-in user. */
export const ME = ['users', 'me'];

/** The key of the mutation that ends the session. */
export const SIGN_OUT = ['sign-out'];

/** Refetches the user after a refusal: perhaps they are not a member any more, or their role or the way in has changed. */
export const checkMembership = (): void =>
  void queryClient.invalidateQueries({ queryKey: ME }, { cancelRefetch: false });

/** A read that was not sent, because the service would refuse it to the user's role, or because the session ends. */
export class NotSent extends Error {}

/**
 * A sign-out cancels the reads before it, but a timer or another part of the screen may begin one after that. The dialog that proves
 * the identity first reads as well.
 */
export const isSigningOut = (): boolean =>
  queryClient.isMutating({ mutationKey: SIGN_OUT }) > 0 && !isProofWanted();

/** A read that timed out is not retried. */
const isPassing = (cause: unknown): boolean =>
  cause instanceof ApiError
    ? (cause.status === 0 || cause.status >= 500) && cause.reason !== 'timeout'
    : !(cause instanceof NotSent);

/** The limit of calls in a second: a screen with many parts that is loaded twice can reach it. */
const isOverPace = (cause: unknown): boolean =>
  cause instanceof ApiError && cause.status === 429 && cause.facts.retry_after === 1;

/**
 * Queries refetch on focus, mount and reconnect. A stale time of two seconds prevents a second fetch right after a preload on
 * hover. Query errors go to the console only.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (cause, query) => {
      if (cause instanceof NotSent) return;
      console.error('Query failed', query.queryKey, cause);
      const isRefused = cause instanceof ApiError && (cause.status === 400 || cause.status === 404);
      if (isRefused && query.queryHash !== hashKey(ME) && isSignedIn()) checkMembership();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnMount: true,
      refetchOnWindowFocus: 'always',
      refetchOnReconnect: 'always',
      retry: (failures, cause) => failures < 1 && (isPassing(cause) || isOverPace(cause)),
      retryDelay: (_, cause) => (isOverPace(cause) ? 1_000 : 500),
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
