import { getProfile, getTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import { listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { getSecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** The id of the switch, to link to it. */
export const AUTO_PURCHASE = 'auto-purchase';

/** Queries of the settings screen. */
export const profile = queryOptions({
  queryKey: ['settings', 'profile'],
  queryFn: ({ signal }) => call(getProfile, { signal }),
});

export const twoFactor = queryOptions({
  queryKey: ['settings', '2fa'],
  queryFn: ({ signal }) => call(getTwoFactor, { signal }),
});

export const branding = queryOptions({
  queryKey: ['settings', 'branding'],
  queryFn: ({ signal }) => call(getBranding, { signal }),
});

export const sessions = queryOptions({
  queryKey: ['settings', 'sessions'],
  queryFn: async ({ signal }) => {
    const reply = await call(listSessions, { signal });
    return 'results' in reply ? reply.results : (reply as never[]);
  },
});

export const SECOND_FACTORS = ['settings', 'second-factors'] as const;
export const secondFactors = queryOptions({
  queryKey: SECOND_FACTORS,
  queryFn: ({ signal }) => call(getSecondFactors, { signal }),
});
