import type { Action } from '../../accounts/role.ts';
import { pages } from '../../pages.ts';

/** A part of a screen that the palette finds by its title or by other words. */
interface SectionLink {
  page: (typeof pages)[keyof typeof pages];
  /** the id of the part */
  hash: string;
  title: string;
  /** more search words */
  words: string;
  /** the call that the user's role must allow */
  needs?: Action;
}

const { settings, protection, credits } = pages;

export const sections: readonly SectionLink[] = [
  { page: settings, hash: 'profile', title: 'Profile', words: 'name email phone number time zone' },
  {
    page: settings,
    hash: 'security',
    title: 'Security',
    words: 'passkeys authenticator app two-factor authentication 2fa recovery codes',
  },
  { page: settings, hash: 'password', title: 'Password and sessions', words: 'change devices sign out' },
  {
    page: settings,
    hash: 'members',
    title: 'Team',
    words: 'members invitations invite people roles',
    needs: 'listMembers',
  },
  { page: settings, hash: 'sso', title: 'Single sign-on', words: 'sso oidc openid', needs: 'getSso' },
  {
    page: settings,
    hash: 'messages',
    title: 'OTP Configuration',
    words: 'sender subject message length expiry branding',
  },
  {
    page: settings,
    hash: 'auto-purchase',
    title: 'Auto-purchase',
    words: 'low-balance threshold automatic refill',
  },
  { page: settings, hash: 'link-domains', title: 'Link domains', words: 'messages dns record' },
  { page: protection, hash: 'rules', title: 'Rules', words: 'fraud thresholds enforce monitor' },
  { page: protection, hash: 'countries', title: 'Allowed countries', words: 'block country' },
  { page: protection, hash: 'spend', title: 'Spend limits', words: 'daily monthly credits' },
  {
    page: protection,
    hash: 'lists',
    title: 'Allow and deny lists',
    words: 'block destination prefix domain',
  },
  { page: protection, hash: 'check', title: 'Check a number', words: 'destination blocked' },
  { page: credits, hash: 'payment-history', title: 'Payment History', words: 'purchases usage receipts' },
];
