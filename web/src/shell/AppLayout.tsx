import { Drawer } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import classes from './AppLayout.module.css';
import { BalanceNotice } from './BalanceNotice.tsx';
import { Header } from './Header.tsx';
import { SandboxBanner } from './SandboxBanner.tsx';
import { Sidebar } from './Sidebar.tsx';
import { useSidebar } from './sidebar-state.ts';

/** The frame around every signed-in screen: sidebar, header, notices. */
export function AppLayout() {
  const sidebar = useSidebar();
  return (
    <div className={classes.layout} data-collapsed={!sidebar.isOpen || undefined}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      {sidebar.isMobile ? (
        <Drawer.Root
          opened={sidebar.isDrawerOpen}
          onClose={sidebar.closeDrawer}
          size="18rem"
          classNames={{ content: classes.drawer ?? '' }}
          position="left"
        >
          <Drawer.Overlay backgroundOpacity={0.45} />
          <Drawer.Content aria-label="Navigation">
            <Sidebar isCollapsed={false} onChoose={sidebar.closeDrawer} />
          </Drawer.Content>
        </Drawer.Root>
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
        <BalanceNotice />
        <main id="content" tabIndex={-1} className={classes.main}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}
