import { IconServerCog } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMainPages } from '../accounts/role.ts';
import { deployment } from '../api/deployment.ts';
import { pages, secondaryPages } from '../pages.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { loadConsole, loadedConsole, useMode } from './mode.ts';
import { type Place, Places, type PlacesProps } from './Places.tsx';
import { UserMenu } from './UserMenu.tsx';

/** First in its list, which grows upwards: it appears once the user is known. */
const CONSOLE: Place = { path: '/operator', title: 'Operator Console', Icon: IconServerCog };

const ConsoleNavigation = lazyPart(
  async () => (await loadConsole()).ConsoleNavigation,
  () => loadedConsole()?.ConsoleNavigation,
);

/** The brand, the navigation of the account or of the operator console, and the user menu. */
export function Sidebar({ isCollapsed, onChoose }: PlacesProps) {
  const mode = useMode();
  const { data: user } = useQuery(currentUser);
  const main = useMainPages();
  return (
    <aside
      className={`flex h-full flex-col gap-1 overflow-x-hidden overflow-y-auto py-3 ${isCollapsed ? 'px-1.5' : 'px-3'}`}
      aria-label="Sidebar"
    >
      <Link
        to={mode === 'console' ? '/operator' : pages.verifications.path}
        className={`mb-3.5 flex items-center gap-2.5 rounded-8 py-1.5 touch:min-h-11 text-17 font-700 tracking-[-0.02em] text-ink no-underline ${isCollapsed ? 'justify-center' : 'px-1'}`}
        onClick={onChoose}
        aria-label={deployment().brand_name}
      >
        <BrandMark />
        {isCollapsed ? null : <span className="truncate">{deployment().brand_name}</span>}
      </Link>
      {mode === 'account' ? (
        <nav className="flex flex-1 flex-col" aria-label="Main">
          <Places places={main} isCollapsed={isCollapsed} onChoose={onChoose} />
          <div className="mt-auto pt-3">
            <Places
              places={user?.operator_role ? [CONSOLE, ...secondaryPages] : secondaryPages}
              isCollapsed={isCollapsed}
              onChoose={onChoose}
            />
          </div>
        </nav>
      ) : (
        <div className="flex flex-1 flex-col">
          <Suspense>
            {mode === 'console' ? <ConsoleNavigation isCollapsed={isCollapsed} onChoose={onChoose} /> : null}
          </Suspense>
        </div>
      )}
      <UserMenu isCollapsed={isCollapsed} />
    </aside>
  );
}
