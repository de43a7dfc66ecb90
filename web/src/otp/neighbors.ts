import type { Verification } from '@sixdigit/contract/otp.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sentence } from '../api/call.ts';
import { PAGE_SIZE, type Page } from '../api/list.ts';
import { rowWithId } from '../table/list-keys.ts';
import { returnFocusTo } from '../ui/focus-return.ts';
import { toast } from '../ui/toast.ts';
import { verificationPage, type verificationSearch } from './verifications.ts';

export interface Around {
  /** the list that the verification was opened from */
  search: typeof verificationSearch.defaults;
  page: Page<Verification> | undefined;
}

export interface Steps {
  hasPrevious: boolean;
  hasNext: boolean;
  go: (step: 1 | -1) => Promise<void>;
}

/**
 * Steps through the list's verifications, also across its pages. Undefined if the list does not contain the shown one. Moves the
 * place to which the focus returns to the shown row.
 */
export function useNeighbors(id: string | undefined, { search, page }: Around): Steps | undefined {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const isBusy = useRef(false);
  const hasStepped = useRef(false);
  // New rows can push the shown one off the page.
  const known = useRef({ search, page });
  if (page?.results.some((row) => row.id === id)) known.current = { search, page };

  useEffect(() => {
    if (id === undefined) hasStepped.current = false;
    const row = id !== undefined && page && hasStepped.current ? rowWithId(id) : null;
    if (row) returnFocusTo(row);
  }, [id, page]);

  const { results, count, isAtLeast } = known.current.page ?? { results: [], count: 0 };
  const shownPage = known.current.search.page;
  const index = results.findIndex((row) => row.id === id);
  if (index === -1) return undefined;

  const show = (row: Verification | undefined, onPage: number): void => {
    if (!row) return;
    hasStepped.current = true;
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: onPage, otp: row.id }),
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
          verificationPage({ ...known.current.search, page: shownPage + step }),
        );
        show(other.results.at(step === 1 ? 0 : -1), shownPage + step);
      } catch (cause) {
        toast.error(sentence(cause, 'Failed to load OTP verifications'));
      } finally {
        isBusy.current = false;
      }
    },
  };
  return steps;
}
