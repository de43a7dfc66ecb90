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

/** One page of a list that the service returns whole, so that the browser searches, sorts and pages it. */
export function pageWithin<T>(
  all: readonly T[],
  { search, ordering, page }: { search: string; ordering: string; page: number },
  textOf: (row: T) => string,
): Page<T> {
  const wanted = search.trim().toLowerCase();
  const sign = ordering.startsWith('-') ? -1 : 1;
  const sortedBy = (row: T): string => String(row[ordering.replace(/^-/, '') as keyof T] ?? '');
  const found = all
    .filter((row) => textOf(row).toLowerCase().includes(wanted))
    .sort((one, other) => sign * sortedBy(one).localeCompare(sortedBy(other)));
  return asPage(found, page);
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
