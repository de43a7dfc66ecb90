import type { Route } from '@sixdigit/contract/route.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { keyOf } from '../api/read.ts';
import type { Request } from '../api/wire.ts';

const STALE_MS = 60_000;

/**
 * The exact count of a wide search, which takes the service seconds. A change of the search cancels it. Unlike the rows, it is
 * refetched at most once a minute, so changes to the path do not invalidate it, and a failure is not retried.
 */
export const countQuery = <R extends Route>(route: R, request: Request<R>, key?: unknown) =>
  queryOptions({
    queryKey: ['count', ...keyOf(route, request, key)],
    queryFn: async ({ signal }): Promise<number> => {
      const reply: unknown = await call<Route>(route, { ...request, signal } as never);
      return (reply as { count: number | null }).count ?? 0;
    },
    staleTime: STALE_MS,
    refetchInterval: STALE_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: true,
    retry: false,
  });
export type CountQuery = ReturnType<typeof countQuery>;
