import { AuthReply, type Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { forgetAccounts, leadingToAccount, loseAccount, namesAccount } from '../api/account.ts';
import { keepTokens, pathOfThisOrigin } from '../api/session.ts';
import { tabData } from '../api/site-data.ts';
import { currentUser } from './current-user.ts';
import { ownAccounts } from './own-accounts.ts';

/** Stores the tokens, loads the user, and opens `to`, by default the page that the visitor asked for, or the home page. */
export function useEnter(to?: string): (tokens: Tokens) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { redirect } = useSearch({ from: '/_auth' });
  return useCallback(
    async (tokens) => {
      queryClient.clear();
      forgetAccounts();
      loseAccount();
      keepTokens(tokens);
      forgetCodeStep();
      void queryClient.prefetchQuery(currentUser);
      // Decides the address. If it fails, the first screen finds out.
      await queryClient.prefetchQuery(ownAccounts);
      const href = leadingToAccount(pathOfThisOrigin(to ?? redirect));
      if (namesAccount(href)) window.location.replace(href);
      else await navigate({ href, replace: true });
    },
    [queryClient, navigate, redirect, to],
  );
}

/** The code step of a page. `onReply` takes the response to the page's form: it starts the code step or signs in. */
export function useEntry(page: CodePage, to?: string) {
  const enter = useEnter(to);
  const [step, setStep] = useCodeStep(page);
  const onReply = (reply: AuthReply): Promise<void> | undefined => {
    if (reply.requires_2fa) setStep(reply);
    else if (reply.access && reply.refresh) return enter({ access: reply.access, refresh: reply.refresh });
    return undefined;
  };
  return { enter, step, setStep, onReply };
}

const KEY = 'code_step';

type CodePage = 'sign-in' | 'sign-up';
/** The steps that a reload restores, by page. */
type Kept = Partial<Record<CodePage, AuthReply>>;

function kept(): Kept {
  try {
    return JSON.parse(tabData.get(KEY) ?? '{}') as Kept;
  } catch {
    return {};
  }
}

/**
 * The code step of a page while it waits for a code. Stored for the tab, so that a reload keeps the session. `set(undefined)`
 * discards it.
 */
function useCodeStep(page: CodePage) {
  const [step, setStep] = useState(() => AuthReply.safeParse(kept()[page]).data);
  const set = useCallback(
    (next: AuthReply | undefined): void => {
      tabData.set(KEY, JSON.stringify(next ? { [page]: next } : {}));
      setStep(next);
    },
    [page],
  );
  return [step, set] as const;
}

/** Called after a completed sign-in. */
const forgetCodeStep = (): void => void tabData.set(KEY, null);
