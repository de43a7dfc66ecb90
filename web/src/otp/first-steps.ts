import type { OtpStatus, Verification } from '@sixdigit/contract/verifications.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { listWebhooks } from '@sixdigit/contract/webhook-list.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { ofAccount } from '../api/account.ts';
import { asPage } from '../api/list.ts';
import { refetchEvery } from '../api/live.ts';
import { read } from '../api/read.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { remember, remembered } from '../ui/remembered.ts';
import { newestVerification } from './verifications.ts';

/** Accounts with more verifications than this do not see the first steps. */
const BEGINNERS_SENDS = 10;
export const REFETCH_MS = 3_000;
const DISMISSED = 'first_steps_dismissed';
const KNOWN = 'first_steps_over';

const webhookCount = read(
  listWebhooks,
  { query: { page_size: 1 } },
  { select: (reply) => asPage(reply).count },
);

/** The newest verification, made with a live or a test key. Codes of other systems do not count: the steps cannot verify them. */
const newestOfAnyMode = (status?: OtpStatus) =>
  read(
    listVerifications,
    { query: { page_size: 1, mode: 'all', own_code: 'false', ...(status ? { status } : {}) } },
    { select: ({ results }) => results[0] ?? null },
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

/** Of the current step's content. */
export interface StepProps {
  progress: FirstStepsProgress;
  /** the verification that the second step has sent from this screen */
  sentHere: string | undefined;
  onSentHere: (otp_id: string) => void;
  /** the reader completes the step on this screen */
  onAct: () => void;
  /** the part of the screen that loads on demand is there */
  onReady: () => void;
}

/**
 * A new account's progress, computed from its data: sends and verifies with a test key count too. An experienced account costs
 * one count. The browser remembers the answer, so that the screen reserves space only if needed.
 */
export function useFirstSteps(): FirstStepsProgress {
  const { data: user } = useQuery(currentUser);
  const [dismissed, setDismissed] = useState(() => remembered(ofAccount(DISMISSED)));
  // They create a key and send a code.
  const isDismissed = !useMay()('createApiKey') || (user !== undefined && dismissed === user.id);

  const live = useQuery(newestVerification());
  const isBeginner = live.data !== undefined && live.data.count <= BEGINNERS_SENDS && !isDismissed;
  const asking = { enabled: isBeginner, refetchInterval: REFETCH_MS };
  // The live stream announces these.
  const listening = { enabled: isBeginner, refetchInterval: refetchEvery(REFETCH_MS) };
  const keys = useQuery({ ...apiKeyChoices, ...asking });
  const webhooks = useQuery({ ...webhookCount, ...asking });
  const sent = useQuery({ ...newestOfAnyMode(), ...listening });
  const verified = useQuery({ ...newestOfAnyMode('verified'), ...listening });
  useQuery({ ...newestVerification(), ...listening });

  const isDone = {
    key: (keys.data?.count ?? 0) > 0 || Boolean(sent.data),
    send: Boolean(sent.data),
    verify: Boolean(verified.data),
    webhook: (webhooks.data ?? 0) > 0,
  };
  const steps = [keys, sent, verified, webhooks];
  const isKnown = live.data !== undefined && (!isBeginner || steps.every(({ data }) => data !== undefined));
  const isFailed = live.isError || (isBeginner && steps.some(({ isError }) => isError));
  const isOver = isKnown && (!isBeginner || Object.values(isDone).every(Boolean));
  const wasOver = remembered(ofAccount(KNOWN)) === 'true';
  if (isKnown && isOver !== wasOver) remember(ofAccount(KNOWN), String(isOver));

  return {
    isShown: isKnown && !isOver,
    isWaiting: !isKnown && !wasOver && !isFailed,
    isBeginner,
    isDone,
    newest: sent.data ?? undefined,
    dismiss: () => {
      if (!user) return;
      remember(ofAccount(DISMISSED), user.id);
      setDismissed(user.id);
    },
  };
}
