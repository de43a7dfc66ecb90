import type { NEEDED } from '@sixdigit/contract/needed-roles.ts';
import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { knownAccounts, tabAccount } from '../api/account.ts';
import { currentUser } from './current-user.ts';
import { neededRoles } from './needed-roles.ts';

/** The name of a call that a member of an account can make. */
export type Action = keyof typeof NEEDED;

/**
 * The user's role in the account. Until the user is known, the role of the last visit: the first screen must not change shape. A
 * process of the version before has accounts of one person, the owner, and sends no role.
 */
export function useRole(): Role {
  const { data: user } = useQuery(currentUser);
  if (user) return user.role ?? 'owner';
  return (tabAccount() ?? knownAccounts()[0])?.role ?? 'owner';
}

/** The lowest role that may make a call, if the user's is lower. */
function useNeeds(): (action: Action) => Role | undefined {
  const role = useRole();
  return (action) => {
    if (role === 'owner') return undefined;
    const entry = neededRoles()?.[action] ?? 'owner';
    const needed = typeof entry === 'string' ? entry : entry.role;
    return isAtLeast(role, needed) ? undefined : needed;
  };
}

/** Whether the user's role may make a call: `may('createApiKey')`. The server decides; screens hide what it would refuse. */
export function useMay(): (action: Action) => boolean {
  const needs = useNeeds();
  return (action) => needs(action) === undefined;
}

/** The reason why something visible is disabled, for its tooltip or hint; undefined if the role may make the call. */
export function useRefusal(): (action: Action) => string | undefined {
  const needs = useNeeds();
  return (action) => {
    const role = needs(action);
    return role && `Needs the role ${role}`;
  };
}
