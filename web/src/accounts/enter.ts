import type { AuthReply, Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { keepTokens, pathOfThisOrigin } from '../api/session.ts';
import { type CodePage, forgetCodeStep, useCodeStep } from './code-step.ts';
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

/** The code step of a page. `onReply` takes the answer to the page's form: it begins the step, or enters. */
export function useEntry(page: CodePage) {
  const enter = useEnter();
  const [step, setStep] = useCodeStep(page);
  const onReply = (reply: AuthReply): Promise<void> | undefined => {
    if (reply.requires_2fa) setStep(reply);
    else if (reply.access && reply.refresh) return enter({ access: reply.access, refresh: reply.refresh });
    return undefined;
  };
  return { enter, step, setStep, onReply };
}
