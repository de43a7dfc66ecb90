import { useRef, useState } from 'react';
import type { Page } from '../api/list.ts';

/**
 * The rows of a list while the pointer or the focus is on it. They keep their places, with their newest values, until the user
 * leaves the list or requests the new rows. A change of page or filters shows its rows immediately.
 */
export function useHeldRows<T>(
  data: Page<T> | undefined,
  { isHeld, view, rowId }: { isHeld: boolean; view: string; rowId: (row: T) => string },
): { shown: Page<T> | undefined; fresh: number; show: () => void } {
  const [kept, setKept] = useState<{ view: string; page: Page<T> }>();
  const arrived = useRef(data);
  arrived.current = data;
  const holds = isHeld && kept !== undefined && kept.view === view;
  if (data && !holds && kept?.page !== data) setKept({ view, page: data });
  if (!data || !holds) return { shown: data, fresh: 0, show: () => undefined };
  return {
    shown: { ...kept.page, results: newestValues(kept.page.results, data.results, rowId) },
    fresh: freshRows(kept.page, data, rowId),
    show: () => setKept({ view, page: arrived.current ?? data }),
  };
}

/** The held rows, with the values of those that are among the new ones too. */
export function newestValues<T>(
  held: readonly T[],
  arrived: readonly T[],
  rowId: (row: T) => string,
): readonly T[] {
  const byId = new Map(arrived.map((row) => [rowId(row), row]));
  return held.map((row) => byId.get(rowId(row)) ?? row);
}

/** How many rows are new. Old rows can leave the time window meanwhile, so the first page counts as well. */
export function freshRows<T>(held: Page<T>, arrived: Page<T>, rowId: (row: T) => string): number {
  const known = new Set(held.results.map(rowId));
  const unknown = arrived.results.filter((row) => !known.has(rowId(row))).length;
  return unknown === 0 ? 0 : Math.max(unknown, arrived.count - held.count);
}
