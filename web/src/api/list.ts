/** One page of a list and the number of all that match. */
export interface Page<T> {
  results: readonly T[];
  count: number;
}

/** Lists may come paged or as a plain array; a plain array is cut into pages here. */
export function asPage<T>(reply: Page<T> | readonly T[], page = 1, pageSize = 10): Page<T> {
  if (!('results' in reply)) {
    const start = (page - 1) * pageSize;
    return { results: reply.slice(start, start + pageSize), count: reply.length };
  }
  return { results: reply.results, count: reply.count };
}
