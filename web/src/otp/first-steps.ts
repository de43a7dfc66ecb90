import type { Verification } from '@sixdigit/contract/otp.ts';
import { listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { asPage } from '../api/list.ts';
import { read } from '../api/read.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { remember, remembered } from '../ui/remembered.ts';
import { newestVerification } from './verifications.ts';

/** Accounts with more verifications than this do not see the first steps. */
const BEGINNERS_SENDS = 10;
const REFETCH_MS = 3_000;
const DISMISSED = 'first_steps_dismissed';
const KNOWN = 'first_steps_over';

const webhookCount = read(
  listWebhooks,
  { query: { page_size: 1 } },
  { select: (reply) => asPage(reply).count },
);

export type StepName = 'key' | 'send' | 'verify' | 'webhook';

export interface FirstStepsProgress {
  isShown: boolean;
  /** still loading; unknown whether the account needs them */
  isWaiting: boolean;
  /** the account may need them */
  isBeginner: boolean;
  isDone: Record<StepName, boolean>;
  /** the newest verification */
  newest: Verification | undefined;
  dismiss: () => void;
}

/**
 * A new account's progress, computed from its data. An experienced account costs one count. The browser remembers the answer,
 * so that the screen reserves space only if needed.
 */
export function useFirstSteps(): FirstStepsProgress {
  const { data: user } = useQuery(currentUser);
  const [dismissed, setDismissed] = useState(() => remembered(DISMISSED));
  const isDismissed = user !== undefined && dismissed === user.id;

  const sent = useQuery(newestVerification());
  const isBeginner = sent.data !== undefined && sent.data.count <= BEGINNERS_SENDS && !isDismissed;
  const asking = { enabled: isBeginner, refetchInterval: REFETCH_MS };
  const keys = useQuery({ ...apiKeyChoices, ...asking });
  const verified = useQuery({ ...newestVerification('verified'), ...asking });
  const webhooks = useQuery({ ...webhookCount, ...asking });
  useQuery({ ...newestVerification(), ...asking });

  const isDone = {
    key: (keys.data?.count ?? 0) > 0 || (sent.data?.count ?? 0) > 0,
    send: (sent.data?.count ?? 0) > 0,
    verify: (verified.data?.count ?? 0) > 0,
    webhook: (webhooks.data ?? 0) > 0,
  };
  const steps = [keys, verified, webhooks];
  const isKnown = sent.data !== undefined && (!isBeginner || steps.every(({ data }) => data !== undefined));
  const isFailed = sent.isError || (isBeginner && steps.some(({ isError }) => isError));
  const isOver = isKnown && (!isBeginner || Object.values(isDone).every(Boolean));
  const wasOver = remembered(KNOWN) === 'true';
  if (isKnown && isOver !== wasOver) remember(KNOWN, String(isOver));

  return {
    isShown: isKnown && !isOver,
    isWaiting: !isKnown && !wasOver && !isFailed,
    isBeginner,
    isDone,
    newest: sent.data?.results[0],
    dismiss: () => {
      if (!user) return;
      remember(DISMISSED, user.id);
      setDismissed(user.id);
    },
  };
}
