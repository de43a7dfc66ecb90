import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { type Action, useMay } from '../accounts/role.ts';
import { type Page, pages } from '../pages.ts';

/** A part of a screen, for the menu beside the screen and for the palette. */
export interface Section {
  page: Page;
  /** the id of its element, and the hash of links to it */
  id: string;
  title: string;
  /** more search words */
  words: string;
  /** part of another section: only the palette lists it */
  isNested?: true;
  /** the call that the user's role must allow */
  needs?: Action;
  /** absent from sessions that SSO started */
  needsOwnSignIn?: true;
}

const { settings, protection, credits, team } = pages;

/** All sections that have links, in the order of their screens. */
export const sections: readonly Section[] = [
  { page: settings, id: 'profile', title: 'User', words: 'profile name email phone number time zone' },
  {
    page: settings,
    id: 'security',
    title: 'Security',
    words: 'passkeys authenticator app two-factor authentication 2fa recovery codes',
  },
  {
    page: settings,
    id: 'password',
    title: 'Password and sessions',
    words: 'change devices sign out',
    isNested: true,
    needsOwnSignIn: true,
  },
  {
    page: team,
    id: 'invitations',
    title: 'Invitations',
    words: 'invite people',
    isNested: true,
    needs: 'listInvitations',
  },
  {
    page: team,
    id: 'sso',
    title: 'Single sign-on',
    words: 'sso oidc openid',
    isNested: true,
    needs: 'getSso',
  },
  {
    page: settings,
    id: 'messages',
    title: 'OTP Configuration',
    words: 'sender subject message length expiry branding',
  },
  {
    page: settings,
    id: 'billing',
    title: 'Low balance',
    words: 'credits warning email threshold',
    isNested: true,
  },
  {
    page: settings,
    id: 'auto-purchase',
    title: 'Auto-purchase',
    words: 'low-balance threshold automatic refill',
    isNested: true,
  },
  { page: settings, id: 'plans', title: 'Plans', words: 'channels fallback auto country', isNested: true },
  { page: settings, id: 'link-domains', title: 'Link domains', words: 'messages dns record', isNested: true },
  {
    page: settings,
    id: 'delete-account',
    title: 'Delete account',
    words: 'close erase personal data',
    needs: 'deleteMe',
    needsOwnSignIn: true,
  },
  {
    page: protection,
    id: 'check',
    title: 'Check a number',
    words: 'destination blocked',
    needs: 'checkOwnDestination',
  },
  { page: protection, id: 'blocked', title: 'Suspicious sends', words: 'blocked monitored fraud' },
  { page: protection, id: 'rules', title: 'Rules', words: 'fraud thresholds enforce monitor' },
  { page: protection, id: 'countries', title: 'Allowed countries', words: 'block country' },
  { page: protection, id: 'spend', title: 'Spend limits', words: 'daily monthly credits' },
  { page: protection, id: 'limits', title: 'Limits of your own', words: 'rate sends value' },
  { page: protection, id: 'known', title: 'Known recipients', words: 'verified import exempt' },
  { page: protection, id: 'proof', title: 'Proof of work', words: 'human bot captcha altcha challenge' },
  {
    page: protection,
    id: 'worst-day',
    title: 'Worst day',
    words: 'fraud cost simulation campaigns dollars',
    needs: 'playWorstDay',
  },
  { page: protection, id: 'lists', title: 'Lists', words: 'allow deny block destination prefix domain' },
  {
    page: credits,
    id: 'payment-history',
    title: 'Payment History',
    words: 'purchases usage receipts',
    isNested: true,
    needs: 'listTransactions',
  },
];

/** The sections that the user can see. */
export function useSections(): Section[] {
  const may = useMay();
  const { data: user } = useQuery(currentUser);
  return sections.filter(
    ({ needs, needsOwnSignIn }) => (!needs || may(needs)) && !(user?.is_sso_session && needsOwnSignIn),
  );
}

/** The menu of a screen: its sections that the user can see, without nested ones. */
export const useMenuOf = (page: Page): Section[] =>
  useSections().filter((section) => section.page === page && !section.isNested);
