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
  owner: 'Can do everything, including managing owners and single sign-on and deleting the account.',
  admin: 'Can manage members, settings, protection and credits, and do everything that a developer can.',
  developer: 'Can manage API keys, connections and webhooks, send tests, and do everything that support can.',
  support: 'Can see full recipients, resend and cancel codes, and allow blocked numbers.',
  viewer: 'Can see verifications, logs and insights with masked recipients, but cannot change anything.',
};
