import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { showTimesIn } from '../ui/dates.ts';

export const CURRENT_USER = ['me'] as const;

/** The signed-in user and the balance, refetched every 30 s. */
export const currentUser = queryOptions({
  queryKey: CURRENT_USER,
  queryFn: async ({ signal }) => {
    const user = await call(getMe, { signal });
    showTimesIn(user.time_zone);
    return user;
  },
  refetchInterval: 30_000,
});
