import { type FetchQueryOptions, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sentence } from '../api/call.ts';
import { PAGE_SIZE, type Page } from '../api/list.ts';
import { toast } from '../api/toast.ts';
import { returnFocusTo } from '../ui/focus-return.ts';
import { rowWithId } from './list-keys.ts';

export interface Around<T, S> {
  /** the list that the row was opened from */
  search: S;
  page: Page<T> | undefined;
  /** another page of it */
  pageOf: (search: S) => Pick<FetchQueryOptions<Page<T>>, 'queryKey' | 'queryFn'>;
  /** what opens a row */
  idOf: (row: T) => string;
  /** in the URL */
  parameter: string;
  /** shown if a page cannot be loaded */
  failure: string;
}

export interface Steps {
  hasPrevious: boolean;
  hasNext: boolean;
  go: (step: 1 | -1) => Promise<void>;
}

/**
 * Steps through a list's rows, also across its pages. Undefined if the list does not contain the shown one. Moves the place to
 * which the focus returns to the shown row.
 */
export function useNeighbors<T extends { id: string }, S extends { page: number }>(
  id: string | undefined,
  { search, page, pageOf, idOf, parameter, failure }: Around<T, S>,
): Steps | undefined {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const isBusy = useRef(false);
  const hasStepped = useRef(false);
  // New rows can push the shown one off the page.
  const known = useRef({ search, page });
  const own = page?.results.find((row) => idOf(row) === id);
  if (own) known.current = { search, page };

  useEffect(() => {
    if (id === undefined) hasStepped.current = false;
    const row = own && hasStepped.current ? rowWithId(own.id) : null;
    if (row) returnFocusTo(row);
  }, [id, own]);

  const { results, count, isAtLeast } = known.current.page ?? { results: [], count: 0 };
  const shownPage = known.current.search.page;
  const index = results.findIndex((row) => idOf(row) === id);
  if (index === -1) return undefined;

  const show = (row: T | undefined, onPage: number): void => {
    if (!row) return;
    hasStepped.current = true;
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: onPage, [parameter]: idOf(row) }),
      replace: true,
      resetScroll: false,
    });
  };
  const steps: Steps = {
    hasPrevious: index > 0 || shownPage > 1,
    hasNext: index < results.length - 1 || isAtLeast === true || count > shownPage * PAGE_SIZE,
    async go(step) {
      if (isBusy.current || !(step === 1 ? steps.hasNext : steps.hasPrevious)) return;
      const next = results[index + step];
      if (next) return show(next, shownPage);
      isBusy.current = true;
      try {
        const other = await queryClient.fetchQuery(
          pageOf({ ...known.current.search, page: shownPage + step }),
        );
        show(other.results.at(step === 1 ? 0 : -1), shownPage + step);
      } catch (cause) {
        toast.error(sentence(cause, failure));
      } finally {
        isBusy.current = false;
      }
    },
  };
  return steps;
}
