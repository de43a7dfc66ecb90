import type { NEEDED } from '@sixdigit/contract/needed-roles.ts';
import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import { knownAccounts, tabAccount } from './account.ts';
import { signal } from './signal.ts';

/** The name of a call that a member of an account can make. */
export type Action = keyof typeof NEEDED;

const table = signal<typeof NEEDED>();

/** Owners may make every call, so most visitors do not load the table. Without it, screens hide everything from other roles. */
export async function loadNeededRoles(role: Role): Promise<void> {
  if (table.get() || role === 'owner') return;
  try {
    table.set((await import('@sixdigit/contract/needed-roles.ts')).NEEDED);
  } catch (error) {
    console.error(error);
  }
}

/**
 * The user's role in the account. Until the user is known, the role of the last visit: the first screen must not change shape. A
 * process of the version before has accounts of one person, the owner, and sends no role.
 */
export const roleOf = (user: { role?: Role | undefined } | undefined): Role =>
  (user ?? tabAccount() ?? knownAccounts()[0])?.role ?? 'owner';

/** The lowest role that may make a call, if this one is lower. */
export function neededRole(action: Action, role: Role): Role | undefined {
  if (role === 'owner') return undefined;
  const entry = table.get()?.[action] ?? 'owner';
  const needed = typeof entry === 'string' ? entry : entry.role;
  return isAtLeast(role, needed) ? undefined : needed;
}

/** Whether the service would refuse the call to this role. */
export async function isRefused(action: Action, role: Role): Promise<boolean> {
  await loadNeededRoles(role);
  return table.get() !== undefined && neededRole(action, role) !== undefined;
}
