import type { NEEDED } from '@sixdigit/contract/needed-roles.ts';
import type { Role } from '@sixdigit/contract/roles.ts';

let table: typeof NEEDED | undefined;

/** The lowest role for each call. Undefined until it was loaded for a role other than owner. */
export const neededRoles = (): typeof NEEDED | undefined => table;

/** Owners may make every call, so most visitors do not load the table. Without it, screens hide everything from other roles. */
export async function loadNeededRoles(role: Role | undefined): Promise<void> {
  if (table || role === undefined || role === 'owner') return;
  try {
    ({ NEEDED: table } = await import('@sixdigit/contract/needed-roles.ts'));
  } catch (error) {
    console.error(error);
  }
}
