import { useMatch, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

interface Declared<S> {
  defaults: S;
  views: readonly string[];
  isFiltered: (search: S) => boolean;
}

/** A list's state, kept in the URL. */
export interface List<S> {
  search: S;
  isFiltered: boolean;
  /** the number of filters that are set, without the search; a custom period is one */
  set: number;
  /** Changes the state. Any change except of the page alone resets the page to 1. */
  change: (patch: Partial<S>) => void;
  reset: () => void;
}

export interface ListState {
  page: number;
  search: string;
  ordering: string;
}

/** Whether a list has no rows at all, so that its empty state has the main action. */
export const isUnused = (
  list: { isFiltered: boolean },
  query: { data: { count: number } | undefined; isPlaceholderData: boolean },
): boolean => query.data?.count === 0 && !list.isFiltered && !query.isPlaceholderData;

const NO_FILTERS = ['page', 'search', 'from', 'to'];

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** `const list = useList(logsSearch)`, on a route that spread `logsSearch.routing` into its options. */
export function useList<S extends ListState>(declared: Declared<S>): List<S> {
  const address: Record<string, unknown> = useSearch({ strict: false });
  // An opened dialog is also in the address, but does not change the list.
  const search = useMemo(
    () =>
      Object.fromEntries(Object.keys(declared.defaults).map((name) => [name, address[name]])) as unknown as S,
    [declared, address],
  );
  const navigate = useNavigate();
  const router = useRouter();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });

  const change = useCallback(
    (patch: Partial<S>): void => {
      // The reader has followed a link to another page, which is still loading: this list's state is not that page's.
      if (withoutSlash(router.latestLocation.pathname) !== withoutSlash(pathname)) return;
      const isTurning = 'page' in patch;
      void navigate({
        to: '.',
        search: (before) => ({ ...before, ...(isTurning ? {} : { page: 1 }), ...patch }),
        // A filter change adds a history entry; typing replaces the current one.
        replace: 'search' in patch,
        resetScroll: false,
      });
    },
    [navigate, router, pathname],
  );
  const isKept = (name: string): boolean => name === 'ordering' || declared.views.includes(name);
  const reset = (): void =>
    change(
      Object.fromEntries(Object.entries(declared.defaults).filter(([name]) => !isKept(name))) as Partial<S>,
    );
  const set = Object.entries(declared.defaults).filter(
    ([name, value]) =>
      !NO_FILTERS.includes(name) && !isKept(name) && (search as Record<string, unknown>)[name] !== value,
  ).length;
  return { search, isFiltered: declared.isFiltered(search), set, change, reset };
}
