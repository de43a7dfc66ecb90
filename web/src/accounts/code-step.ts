import { AuthReply } from '@sixdigit/contract/accounts/sign-in.ts';
import { useCallback, useState } from 'react';
import { tabData } from '../api/site-data.ts';

const KEY = 'code_step';

export type CodePage = 'sign-in' | 'sign-up';
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
 * The code step of a page, while it waits for a code. The tab remembers it, so that a reload, or a look at the inbox and back, does
 * not lose the session. `set(undefined)` discards it.
 */
export function useCodeStep(page: CodePage) {
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

/** After a completed sign-in. */
export const forgetCodeStep = (): void => void tabData.set(KEY, null);
