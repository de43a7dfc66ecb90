import type { Role } from '@sixdigit/contract/roles.ts';

export const roleNames: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  support: 'Support',
  viewer: 'Viewer',
};

/** What a role may do, in one line. */
export const roleTexts: Record<Role, string> = {
  owner: 'Everything, including owners, single sign-on and deleting the account.',
  admin: 'Members, settings, protection, credits and everything that a developer may do.',
  developer: 'API keys, connections, webhooks and tests, and everything that support may do.',
  support: 'Sees full recipients. Can resend and cancel codes, and allow blocked numbers.',
  viewer: 'Sees verifications, logs and insights with masked recipients. Cannot change anything.',
};
