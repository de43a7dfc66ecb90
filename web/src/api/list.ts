/** One page of a list and the number of all that match. */
export interface Page<T> {
  results: readonly T[];
  count: number;
}

/** Accepts a paged response or a plain array, which it cuts into pages. */
export function asPage<T>(reply: Page<T> | readonly T[], page = 1, pageSize = 10): Page<T> {
  if (!('results' in reply)) {
    const start = (page - 1) * pageSize;
    return { results: reply.slice(start, start + pageSize), count: reply.length };
  }
  return { results: reply.results, count: reply.count };
}
