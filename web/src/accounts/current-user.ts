import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { call } from '../api/call.ts';
import { read } from '../api/read.ts';
import { loadNeededRoles, roleOf } from '../api/role.ts';
import { showTimesIn } from '../ui/dates.ts';

/** The signed-in user and the balance, refetched every 30 s. */
export const currentUser = read(
  getMe,
  {},
  {
    queryFn: async ({ signal }) => {
      const user = await call(getMe, { signal });
      showTimesIn(user.time_zone);
      await loadNeededRoles(roleOf(user));
      return user;
    },
    refetchInterval: 30_000,
  },
);
