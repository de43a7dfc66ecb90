import {
  IconArrowForwardUp,
  IconBook,
  IconChartBar,
  IconCoins,
  IconKey,
  IconListDetails,
  IconSettings,
  IconShieldCheck,
  IconShieldHalf,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react';

/** Every page once. Menu, breadcrumbs, headings, document titles and browser tests read it. */
export interface Page {
  path: string;
  /** in the breadcrumbs, if not the title */
  label?: string;
  /** in the menu, as the heading, and in the browser's tab */
  title: string;
  Icon: typeof IconKey;
}

export const pages = {
  verifications: { path: '/', label: 'Activity', title: 'Verifications', Icon: IconShieldCheck },
  insights: { path: '/insights', title: 'Insights', Icon: IconChartBar },
  logs: { path: '/logs', label: 'Request Logs', title: 'Logs', Icon: IconListDetails },
  apiKeys: { path: '/api-keys', title: 'API Keys', Icon: IconKey },
  connections: {
    path: '/connections',
    title: 'Connections',
    Icon: IconArrowForwardUp,
  },
  webhooks: { path: '/webhooks', title: 'Webhooks', Icon: IconWebhook },
  protection: { path: '/protection', title: 'Protection', Icon: IconShieldHalf },
  credits: { path: '/credits', title: 'Credits', Icon: IconCoins },
  team: { path: '/team', title: 'Team', Icon: IconUser },
  docs: { path: '/docs', title: 'Docs', Icon: IconBook },
  settings: { path: '/settings', title: 'Settings', Icon: IconSettings },
} as const satisfies Record<string, Page>;

/** The upper part of the menu. */
export const mainPages = [
  pages.verifications,
  pages.insights,
  pages.logs,
  pages.apiKeys,
  pages.connections,
  pages.webhooks,
  pages.protection,
  pages.credits,
  pages.team,
];
/** The lower part of the menu. */
export const secondaryPages = [pages.docs, pages.settings];

/** Pages outside the menu. */
export const otherPages = {
  signIn: { path: '/sign-in', title: 'Sign in' },
  signUp: { path: '/sign-up', title: 'Sign up' },
  forgotPassword: { path: '/forgot-password', title: 'Reset your password' },
  resetPassword: { path: '/reset-password', title: 'Choose a new password' },
  terms: { path: '/terms', title: 'Terms of Service' },
  privacy: { path: '/privacy', title: 'Privacy Policy' },
  sandbox: { path: '/sandbox', title: 'Sandbox inbox' },
  activity: { path: '/settings/activity', title: 'Activity' },
  templates: { path: '/settings/templates', title: 'Templates' },
  suppressions: { path: '/protection/suppressed', title: 'Suppressions' },
  receipt: { path: '/receipt/$id', title: 'Receipt' },
  invitation: { path: '/invitations', title: 'Invitation' },
  ssoCallback: { path: '/sso/callback', title: 'Sign in with SSO' },
  ssoStart: { path: '/sso/start', title: 'Sign in with SSO' },
  decisions: { path: '/protection/decisions', title: 'Decisions' },
  unblock: { path: '/protection/unblock', title: 'Allow a blocked destination' },
} as const satisfies Record<string, Pick<Page, 'path' | 'title'>>;
