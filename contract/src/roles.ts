/** The roles of an account's members, in falling order: each may do everything that those after it may. */
export const ROLES = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role may do what needs the role `needed`. */
export const isAtLeast = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);

/** The sentence of a refusal for a role that is too low. */
export const roleTooLow = (needed: Role): string =>
  `This needs the role ${needed}. Ask an owner${needed === 'owner' ? '' : ' or admin'} of the account.`;
