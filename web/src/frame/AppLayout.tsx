import { Outlet } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { StepUp } from '../accounts/StepUp.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { takeTyped, typeAhead } from '../ui/typed-ahead.ts';
import { Announcements } from './Announcements.tsx';
import classes from './AppLayout.module.css';
import { BalanceNotice } from './BalanceNotice.tsx';
import { Header } from './Header.tsx';
import { useLiveLists } from './live-lists.ts';
import { OfflineNotice } from './OfflineNotice.tsx';
import { ProxyNotice } from './ProxyNotice.tsx';
import { SandboxBanner } from './SandboxBanner.tsx';
import { Sidebar } from './Sidebar.tsx';
import { useShortcuts } from './shortcuts.ts';
import { useSidebar } from './sidebar-state.ts';

/** Loaded on the first tap on the toggle, because wide screens do not need it. */
const NavigationDrawer = lazy(async () => ({
  default: (await import('./NavigationDrawer.tsx')).NavigationDrawer,
}));

/** Loaded by the first press of their shortcut. */
const CommandPalette = lazy(async () => {
  try {
    return { default: (await import('./palette/CommandPalette.tsx')).CommandPalette };
  } catch (error) {
    // No field will take the keys.
    takeTyped();
    throw error;
  }
});
const Shortcuts = lazy(async () => ({ default: (await import('./palette/Shortcuts.tsx')).Shortcuts }));

/** The layout of every signed-in screen: sidebar, header and notices. */
export function AppLayout() {
  const sidebar = useSidebar();
  const [overlay, setOverlay] = useState<'palette' | 'help'>();
  const openPalette = (): void => {
    typeAhead();
    setOverlay('palette');
  };
  const openHelp = (): void => setOverlay('help');
  // Another overlay may have opened in its place.
  const close = (closed: 'palette' | 'help') => (): void =>
    setOverlay((before) => (before === closed ? undefined : before));
  useShortcuts({ openPalette, openHelp });
  useLiveLists();
  return (
    <div className={classes.layout} data-collapsed={!sidebar.isOpen || undefined}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      {sidebar.isMobile ? (
        <OnceOpened opened={sidebar.isDrawerOpen}>
          {(opened) => <NavigationDrawer opened={opened} onClose={sidebar.closeDrawer} />}
        </OnceOpened>
      ) : (
        <div className={classes.rail}>
          <Sidebar isCollapsed={!sidebar.isOpen} />
        </div>
      )}
      <div className={classes.column}>
        <ProxyNotice />
        <SandboxBanner />
        <Header
          onToggleSidebar={sidebar.toggle}
          onOpenPalette={openPalette}
          isSidebarOpen={sidebar.isMobile ? sidebar.isDrawerOpen : sidebar.isOpen}
        />
        <Announcements />
        <OfflineNotice />
        <BalanceNotice />
        <main id="content" tabIndex={-1} className={classes.main}>
          <Outlet />
        </main>
      </div>
      <StepUp />
      <OnceOpened opened={overlay === 'palette'}>
        {(opened) => <CommandPalette opened={opened} onClose={close('palette')} openHelp={openHelp} />}
      </OnceOpened>
      <OnceOpened opened={overlay === 'help'}>
        {(opened) => <Shortcuts opened={opened} onClose={close('help')} />}
      </OnceOpened>
    </div>
  );
}
