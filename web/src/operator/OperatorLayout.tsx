import {
  IconAdjustments,
  IconBuildingBroadcastTower,
  IconClipboardList,
  IconCreditCard,
  IconDashboard,
  IconKey,
  IconMessageOff,
  IconShieldCheck,
  IconSpeakerphone,
  IconTag,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { OperatorRole } from '#contract/operator.ts';
import { currentUser } from '../accounts/current-user.ts';
import { NotFound } from '../shell/NotFound.tsx';
import classes from './Operator.module.css';
import { operatorPages } from './operator-pages.ts';

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

/** Support may not see the keys. */
const isFor =
  (role: OperatorRole) =>
  ({ path }: { path: string }): boolean =>
    role === 'admin' || path !== operatorPages.keys.path;

/** The console with its menu. To anybody but an operator, its pages do not exist. */
export function OperatorLayout() {
  const { data: user } = useQuery(currentUser);
  const pathname = useLocation({ select: (location) => location.pathname });
  const tabs = useRef<HTMLUListElement>(null);
  const isShown = Boolean(user?.operator_role);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open page decides which link is active
  useEffect(() => {
    const list = tabs.current;
    const active = list?.querySelector<HTMLElement>('[data-status="active"]');
    if (list && active) list.scrollLeft = active.offsetLeft - (list.clientWidth - active.offsetWidth) / 2;
  }, [pathname, isShown]);
  if (!user) return null;
  if (!user.operator_role) return <NotFound />;
  return (
    <>
      <nav aria-label="Operator">
        <ul ref={tabs} className={classes.tabs}>
          {entries.filter(isFor(user.operator_role)).map(({ path, title, Icon }) => (
            <li key={path}>
              <Link
                to={path}
                className={classes.tab}
                activeOptions={{ exact: path === '/operator', includeSearch: false }}
              >
                <Icon size={16} stroke={1.75} aria-hidden />
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  );
}
