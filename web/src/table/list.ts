import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

interface Declared<S> {
  defaults: S;
  isFiltered: (search: S) => boolean;
}

/** A list's state, which is its address. */
export interface List<S> {
  search: S;
  isFiltered: boolean;
  /** A change of search, ordering or a filter leads to page 1; a change of page alone does not. */
  change: (patch: Partial<S>) => void;
  reset: () => void;
}

interface Base {
  page: number;
  search: string;
  ordering: string;
}

/** `const list = useList(logsSearch)`, on a route that spread `logsSearch.routing` into its options. */
export function useList<S extends Base>(declared: Declared<S>): List<S> {
  const search = useSearch({ strict: false }) as unknown as S;
  const navigate = useNavigate();

  const change = useCallback(
    (patch: Partial<S>): void => {
      const isTurning = 'page' in patch;
      void navigate({
        to: '.',
        search: ((before: S) => ({ ...before, ...(isTurning ? {} : { page: 1 }), ...patch })) as never,
        // a choice can be undone with "back"; typing is no choice
        replace: 'search' in patch,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const reset = useCallback(
    () => change({ ...declared.defaults, ordering: search.ordering }),
    [change, declared, search.ordering],
  );
  return { search, isFiltered: declared.isFiltered(search), change, reset };
}
