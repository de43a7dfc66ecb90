import { IconCoins, IconLayoutSidebar, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useRouterState } from '@tanstack/react-router';
import { Suspense } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { offline, reached } from '../api/connection.ts';
import { liveState } from '../api/live.ts';
import { useSignal } from '../api/signal.ts';
import { timeOfDay } from '../ui/dates.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink } from '../ui/links.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { breadcrumbs } from './breadcrumbs.ts';
import classes from './Header.module.css';
import { loadConsole, loadedConsole, useMode } from './mode.ts';
import { isApple } from './shortcuts.ts';
import { Trail } from './Trail.tsx';

/** Breadcrumbs, command palette, balance and the Buy Credits button. The operator console has no balance. */
export function Header({
  onToggleSidebar,
  onOpenPalette,
  isSidebarOpen,
}: {
  onToggleSidebar: () => void;
  onOpenPalette: () => void;
  isSidebarOpen: boolean;
}) {
  const mode = useMode();
  return (
    <header className="sticky top-0 z-50 h-(--header) border-b border-line bg-canvas">
      <div className="mx-auto flex h-full max-w-304 items-center gap-3 max-[1100px]:gap-2 pr-6 pl-4 max-md:pr-4 max-md:pl-3">
        <TipIcon
          size="lg"
          label="Toggle sidebar"
          tip="Toggle sidebar (Ctrl or ⌘ + B)"
          aria-expanded={isSidebarOpen}
          onClick={onToggleSidebar}
        >
          <IconLayoutSidebar size={20} stroke={1.75} aria-hidden />
        </TipIcon>
        {mode === 'account' ? (
          <Crumbs />
        ) : (
          <Suspense fallback={<span className="flex-1" />}>
            {mode === 'console' ? <ConsoleTrail /> : <span className="flex-1" />}
          </Suspense>
        )}
        <CommandTrigger onOpen={onOpenPalette} />
        {mode === 'account' ? <Balance /> : null}
      </div>
      <LoadingBar />
    </header>
  );
}

function Balance() {
  const { data: user } = useQuery(currentUser);
  const may = useMay();
  return (
    <>
      <div
        className="flex items-center gap-[0.45rem] rounded-8 border border-line bg-surface px-3 py-1 text-[0.84375rem] text-ink-soft max-md:hidden"
        data-testid="credits"
      >
        <IconCoins size={16} stroke={1.75} aria-hidden />
        <span>Credits</span>
        <strong className="font-650 text-ink tabular-nums">
          {(user?.credits ?? 0).toLocaleString('en-US')}
        </strong>
      </div>
      {may('createIntent') ? (
        <ButtonLink to="/credits" className="flex-none">
          Buy Credits
        </ButtonLink>
      ) : null}
    </>
  );
}

const ConsoleTrail = lazyPart(
  async () => (await loadConsole()).ConsoleTrail,
  () => loadedConsole()?.ConsoleTrail,
);

const Crumbs = () => <Trail crumbs={breadcrumbs(useLocation({ select: ({ pathname }) => pathname }))} />;

const labels = { live: 'Connected', polling: 'Polling', connecting: 'Connecting', offline: 'Offline' };

/** Opens the command palette. If the lists may not be up to date, a dot and a word say so. */
function CommandTrigger({ onOpen }: { onOpen: () => void }) {
  const isOffline = useSignal(offline);
  const live = useSignal(liveState);
  const state = isOffline ? 'offline' : live;
  const tips = {
    live: 'Live: new rows appear as they arrive',
    polling: 'No live connection: rows are refreshed every few seconds',
    connecting: 'Connecting to live updates',
    offline: `Offline, last updated ${timeOfDay(new Date(reached.get()).toISOString())}`,
  };
  return (
    <button
      type="button"
      className="relative flex h-8.5 flex-none cursor-pointer items-center gap-2 rounded-8 border border-line bg-surface pr-1.5 pl-2.5 text-[0.84375rem] text-ink-soft hover:border-border hover:text-ink max-[1100px]:gap-0 max-[1100px]:px-2 touch:h-11 touch:min-w-11 touch:justify-center"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      data-tip={tips[state]}
      onClick={onOpen}
    >
      <IconSearch size={16} stroke={1.75} aria-hidden />
      <span className="max-[1100px]:sr-only">Search or jump to...</span>
      <span
        className="rounded-4 border border-line bg-sunken px-1.5 py-0.25 text-12 whitespace-nowrap max-[1100px]:hidden"
        aria-hidden="true"
      >
        {isApple ? '⌘ K' : 'Ctrl K'}
      </span>
      {state === 'live' || state === 'connecting' ? (
        <span className="sr-only">{labels[state]}</span>
      ) : (
        <span
          className={`flex items-center gap-1.5 px-1.5 py-0.25 text-[0.78125rem] font-550 max-[1100px]:absolute max-[1100px]:top-1 max-[1100px]:right-1 max-[1100px]:p-0 ${isOffline ? 'text-orange' : ''}`}
        >
          <span
            className={`size-2 rounded-[50%] ${isOffline ? 'border-2 border-current' : 'bg-(--mantine-color-dimmed)'}`}
          />
          <span className="max-[1100px]:sr-only">{labels[state]}</span>
        </span>
      )}
    </button>
  );
}

/** Appears below the header if a screen takes longer than 300 ms to load. */
function LoadingBar() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  return isLoading ? (
    <div
      className={`${classes.bar} absolute inset-x-0 -bottom-px h-[2px] overflow-hidden`}
      role="progressbar"
      aria-label="Loading the screen"
    />
  ) : null;
}
