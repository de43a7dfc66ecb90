import type { Role } from '@sixdigit/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { type Action, neededRole, roleOf } from '../api/role.ts';
import { mainPages, pages } from '../pages.ts';
import { currentUser } from './current-user.ts';

export type { Action } from '../api/role.ts';

/** The user's role in the account. */
export function useRole(): Role {
  const { data: user } = useQuery(currentUser);
  return roleOf(user);
}

/** Whether the user's role may make a call: `may('createApiKey')`. The server decides; screens hide what it would refuse. */
export function useMay(): (action: Action) => boolean {
  const role = useRole();
  return (action) => neededRole(action, role) === undefined;
}

/** The reason why something visible is disabled, for its tooltip or hint; undefined if the role may make the call. */
export function useRefusal(): (action: Action) => string | undefined {
  const own = useRole();
  return (action) => {
    const role = neededRole(action, own);
    return role && `Needs the role ${role}`;
  };
}

/** The upper part of the menu, without the pages that the user's role may not open. */
export function useMainPages(): readonly (typeof mainPages)[number][] {
  const may = useMay();
  return may('listTransactions') ? mainPages : mainPages.filter((page) => page !== pages.credits);
}
