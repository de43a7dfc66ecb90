import type { QueryClient, QueryFilters } from '@tanstack/react-query';

/** Until no query is under way, or none of these, but at most `mostMs`. */
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
