import type { OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import {
  IconActivity,
  IconAdjustments,
  IconBan,
  IconBuildingBroadcastTower,
  IconChartBar,
  IconClipboardList,
  IconCreditCard,
  IconDashboard,
  IconKey,
  IconListDetails,
  IconMessageOff,
  IconSettings,
  IconShieldCheck,
  IconShieldHalf,
  IconSpeakerphone,
  IconTag,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import type { Place } from '../frame/Places.tsx';
import { useKnownAccount } from './operator.ts';
import { operatorPages as pages } from './operator-pages.ts';

/** The console's pages by subject. */
const GROUPS: readonly PlaceGroup[] = [
  { places: [{ ...pages.overview, Icon: IconDashboard, isExact: true }] },
  {
    title: 'Customers',
    places: [
      { ...pages.accounts, Icon: IconUsers },
      { ...pages.payments, Icon: IconCreditCard },
      { ...pages.optOuts, Icon: IconMessageOff },
      { ...pages.announcements, Icon: IconSpeakerphone },
    ],
  },
  {
    title: 'Sending',
    places: [
      { ...pages.carriers, Icon: IconBuildingBroadcastTower },
      { ...pages.prices, Icon: IconTag },
      { ...pages.protection, Icon: IconShieldHalf },
    ],
  },
  {
    title: 'Deployment',
    places: [
      { ...pages.settings, Icon: IconAdjustments },
      { ...pages.keys, Icon: IconKey },
      { ...pages.audit, Icon: IconClipboardList },
    ],
  },
];

export interface PlaceGroup {
  title?: string;
  places: readonly Place[];
}

/** The console's pages that a role may open, by subject. */
export const pagesFor = (role: OperatorRole): readonly PlaceGroup[] =>
  GROUPS.map(({ places, ...group }) => ({
    ...group,
    places: places.filter(({ path }) => role === 'admin' || path !== pages.keys.path),
  }));

/** One account's views. `below` follows the account's path. */
const ACCOUNT_VIEWS = [
  { below: '', title: 'Overview', Icon: IconUserCircle },
  { below: '/verifications', title: 'Verifications', Icon: IconShieldCheck },
  { below: '/requests', title: 'Requests', Icon: IconListDetails },
  { below: '/insights', title: 'Insights', Icon: IconChartBar },
  { below: '/webhooks', title: 'Webhooks', Icon: IconWebhook },
  { below: '/payments', title: 'Payments', Icon: IconCreditCard },
  { below: '/blocks', title: 'Blocks', Icon: IconBan },
  { below: '/activity', title: 'Activity', Icon: IconActivity },
  { below: '/settings', title: 'Settings', Icon: IconSettings },
] as const;

export const viewsOf = (id: string): (Place & { path: string })[] =>
  ACCOUNT_VIEWS.map(({ below, ...view }) => ({
    ...view,
    path: `${pages.accounts.path}/${id}${below}`,
    isExact: true,
  }));

/** The open account's id. */
export const useAccountId = (): string | undefined =>
  useLocation({ select: ({ pathname }) => /^\/operator\/accounts\/([^/]+)/.exec(pathname)?.[1] });

/** The name of the open account. Undefined outside an account. */
export function useAccountName(): string | undefined {
  const id = useAccountId();
  const known = useKnownAccount(id);
  if (id === undefined) return undefined;
  return known ? (known.email ?? 'Deleted account') : 'Account';
}
