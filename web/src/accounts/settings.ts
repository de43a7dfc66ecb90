import { getProfile, getTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import { listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { getSecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import type { QueryClient } from '@tanstack/react-query';
import { asPage } from '../api/list.ts';
import { read } from '../api/read.ts';

/** The id of the auto-purchase switch, for links to it. */
export const AUTO_PURCHASE = 'auto-purchase';

/** Queries of the settings screen. */
export const profile = read(getProfile, {});
export const twoFactor = read(getTwoFactor, {});
export const branding = read(getBranding, {});
export const sessions = read(
  listSessions,
  {},
  { select: (reply) => asPage(reply, 1, Number.POSITIVE_INFINITY).results },
);
export const secondFactors = read(getSecondFactors, {});

export function prefetchSettings(queryClient: QueryClient): void {
  void queryClient.prefetchQuery(profile);
  void queryClient.prefetchQuery(twoFactor);
  void queryClient.prefetchQuery(secondFactors);
  void queryClient.prefetchQuery(sessions);
  void queryClient.prefetchQuery(branding);
}
