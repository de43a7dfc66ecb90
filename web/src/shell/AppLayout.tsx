import { Outlet } from '@tanstack/react-router';
import { lazy } from 'react';
import { StepUp } from '../accounts/StepUp.tsx';
import { SandboxBanner } from '../sandbox/SandboxBanner.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { Announcements } from './Announcements.tsx';
import classes from './AppLayout.module.css';
import { BalanceNotice } from './BalanceNotice.tsx';
import { Header } from './Header.tsx';
import { OfflineNotice } from './OfflineNotice.tsx';
import { Sidebar } from './Sidebar.tsx';
import { useSidebar } from './sidebar-state.ts';

/** Loaded on the first tap on the toggle, because wide screens do not need it. */
const NavigationDrawer = lazy(async () => ({
  default: (await import('./NavigationDrawer.tsx')).NavigationDrawer,
}));

/** The layout of every signed-in screen: sidebar, header and notices. */
export function AppLayout() {
  const sidebar = useSidebar();
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
        <SandboxBanner />
        <Header
          onToggleSidebar={sidebar.toggle}
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
    </div>
  );
}
