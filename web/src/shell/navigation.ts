import {
  IconBook,
  IconCoins,
  IconKey,
  IconListDetails,
  IconSettings,
  IconShieldCheck,
  IconWebhook,
} from '@tabler/icons-react';

export interface Place {
  to: string;
  label: string;
  Icon: typeof IconKey;
}

export const mainPlaces: readonly Place[] = [
  { to: '/', label: 'Verifications', Icon: IconShieldCheck },
  { to: '/logs', label: 'Logs', Icon: IconListDetails },
  { to: '/api-keys', label: 'API Keys', Icon: IconKey },
  { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/credits', label: 'Credits', Icon: IconCoins },
];

export const secondaryPlaces: readonly Place[] = [
  { to: '/docs', label: 'Docs', Icon: IconBook },
  { to: '/settings', label: 'Settings', Icon: IconSettings },
];

const crumbs: Record<string, string> = {
  credits: 'Credits',
  'api-keys': 'API Keys',
  activity: 'Activity',
  logs: 'Request Logs',
  profile: 'Profile',
  settings: 'Settings',
  docs: 'Docs',
  documentation: 'Docs',
  billing: 'Billing',
};

/** The breadcrumbs of a path. The last one is the current page. */
export function breadcrumbs(pathname: string): { label: string; path: string }[] {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length === 0) return [{ label: 'Activity', path: '/' }];
  return segments.map((segment, index) => ({
    label: crumbs[segment] ?? segment.charAt(0).toUpperCase() + segment.slice(1),
    path: `/${segments.slice(0, index + 1).join('/')}`,
  }));
}
