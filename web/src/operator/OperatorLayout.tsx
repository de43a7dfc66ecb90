import type { OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import {
  IconAdjustments,
  IconBuildingBroadcastTower,
  IconClipboardList,
  IconCreditCard,
  IconDashboard,
  IconKey,
  IconMessageOff,
  IconShieldCheck,
  IconShieldLock,
  IconSpeakerphone,
  IconTag,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { ApiError } from '../api/wire.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { operatorSelf } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { Tab, TabBar } from './TabBar.tsx';

const icons: Record<keyof typeof operatorPages, typeof IconUsers> = {
  overview: IconDashboard,
  accounts: IconUsers,
  carriers: IconBuildingBroadcastTower,
  protection: IconShieldCheck,
  prices: IconTag,
  payments: IconCreditCard,
  optOuts: IconMessageOff,
  announcements: IconSpeakerphone,
  keys: IconKey,
  settings: IconAdjustments,
  audit: IconClipboardList,
};
const entries = Object.entries(operatorPages).map(([name, page]) => ({
  ...page,
  Icon: icons[name as keyof typeof operatorPages],
}));

/** Only admins see the keys. */
const isFor =
  (role: OperatorRole) =>
  ({ path }: { path: string }): boolean =>
    role === 'admin' || path !== operatorPages.keys.path;

/** In production, operators need a second factor to open the console. */
const TwoFactorRequired = () => (
  <EmptyState
    icon={<IconShieldLock size={24} />}
    title="Turn on two-factor authentication"
    action={
      <ButtonLink to="/settings" hash="security">
        Open Security Settings
      </ButtonLink>
    }
  >
    The operator console needs a second factor: a passkey, an authenticator app, or codes by email or SMS.
  </EmptyState>
);

/** The console with its menu. Other users get "not found". */
export function OperatorLayout() {
  const { data: user } = useQuery(currentUser);
  const { error } = useQuery({ ...operatorSelf, enabled: Boolean(user?.operator_role) });
  const isRefused = error instanceof ApiError && error.reason === 'operator_two_factor_required';
  if (!user) return null;
  if (!user.operator_role) return <NotFound />;
  if (isRefused) return <TwoFactorRequired />;
  return (
    <>
      <TabBar label="Operator">
        {entries.filter(isFor(user.operator_role)).map(({ path, title, Icon }) => (
          <Tab key={path} to={path} activeOptions={{ exact: path === '/operator', includeSearch: false }}>
            <Icon size={16} stroke={1.75} aria-hidden />
            {title}
          </Tab>
        ))}
      </TabBar>
      <Outlet />
    </>
  );
}
