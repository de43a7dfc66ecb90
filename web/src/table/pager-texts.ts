/** How far the number of rows is known: exactly; a lower bound while the exact one loads; or a lower bound alone. */
export type Known = 'exact' | 'counting' | 'unavailable';

export interface Counted {
  page: number;
  pageSize: number;
  count: number;
  known: Known;
}

const whole = (value: number): string => value.toLocaleString('en-US');

/** 'Showing 11-20 of 42 requests (filtered)' and 'Page 2 of 5' */
export function pagerTexts(
  { page, pageSize, count, known }: Counted,
  { noun, isFiltered }: { noun: string; isFiltered: boolean },
): { showing: string; of: string; hasNext: boolean } {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, count);
  const isExact = known === 'exact';
  const all = isExact ? whole(count) : `more than ${whole(count - 1)}`;
  const pages = isExact
    ? ` of ${whole(Math.max(1, Math.ceil(count / pageSize)))}`
    : known === 'counting'
      ? ' of …'
      : '';
  return {
    showing: `Showing ${whole(first)}-${whole(last)} of ${all} ${noun}${isFiltered ? ' (filtered)' : ''}`,
    of: `Page ${whole(page)}${pages}`,
    hasNext: page * pageSize < count,
  };
}
