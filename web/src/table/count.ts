import { queryOptions } from '@tanstack/react-query';

const STALE_MS = 60_000;

/**
 * The exact count of a wide search, which takes the service seconds. A change of the search cancels it. It is read again once a
 * minute at most, unlike the rows, and not at once after a failure.
 */
export const countQuery = (
  key: readonly unknown[],
  read: (signal: AbortSignal) => Promise<{ count: number | null }>,
) =>
  queryOptions({
    queryKey: key,
    queryFn: async ({ signal }): Promise<number> => (await read(signal)).count ?? 0,
    staleTime: STALE_MS,
    refetchInterval: STALE_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: true,
    retry: false,
  });
export type CountQuery = ReturnType<typeof countQuery>;
