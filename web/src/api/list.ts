/** The rows of a page. */
export const PAGE_SIZE = 10;

/** One page of a list and the number of all that match. */
export interface Page<T> {
  results: readonly T[];
  count: number;
  /** More rows may match than `count`. */
  isAtLeast?: true;
}

interface Reply<T> {
  results: readonly T[];
  count: number | null;
  at_least?: number | undefined;
}

/** Accepts a paged response or a plain array, which it cuts into pages. */
export function asPage<T>(reply: Reply<T> | readonly T[], page = 1, pageSize = PAGE_SIZE): Page<T> {
  if (!('results' in reply)) {
    const start = (page - 1) * pageSize;
    return { results: reply.slice(start, start + pageSize), count: reply.length };
  }
  const { results, count, at_least = 0 } = reply;
  return count === null ? { results, count: at_least, isAtLeast: true } : { results, count };
}
