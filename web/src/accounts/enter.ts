import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Tokens } from '#contract/accounts.ts';
import { keepTokens, pathOfThisOrigin } from '../api/session.ts';
import { forgetCodeStep } from './code-step.ts';
import { currentUser } from './current-user.ts';

/** Stores the tokens, loads the user, and opens the page that the visitor asked for, or the home page. */
export function useEnter(): (tokens: Tokens) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { redirect } = useSearch({ from: '/_auth' });
  return useCallback(
    async (tokens) => {
      queryClient.clear();
      keepTokens(tokens);
      forgetCodeStep();
      void queryClient.prefetchQuery(currentUser);
      await navigate({ href: pathOfThisOrigin(redirect), replace: true });
    },
    [queryClient, navigate, redirect],
  );
}
