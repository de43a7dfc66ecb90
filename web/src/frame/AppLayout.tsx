import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import type { LiveTopic } from '@sixdigit/contract/live.ts';
import { IconAlertTriangle, IconBan, IconCloudOff, IconInfoCircle } from '@tabler/icons-react';
import { type QueryKey, useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { onAskForAccount } from '../accounts/account-dialogs.ts';
import { currentUser } from '../accounts/current-user.ts';
import { useMembership } from '../accounts/memberships.ts';
import { StepUp } from '../accounts/StepUp.tsx';
import { isServiceReachable, noteUnreachable, offline, reached } from '../api/connection.ts';
import { deployment } from '../api/deployment.ts';
import { liveState, onLiveChange } from '../api/live.ts';
import { SIGN_OUT } from '../api/queries.ts';
import { useSignal } from '../api/signal.ts';
import { hasCookie, setCookie } from '../api/site-data.ts';
import { BalanceNotice } from '../payments/BalanceNotice.tsx';
import { Banner } from '../ui/Banner.tsx';
import { timeOfDay } from '../ui/dates.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart, loadWhenReachable } from '../ui/lazy-part.ts';
import { ProxyNotice } from '../ui/ProxyNotice.tsx';
import { SandboxBanner } from '../ui/SandboxBanner.tsx';
import { takeTyped, typeAhead } from '../ui/typed-ahead.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { Header } from './Header.tsx';
import { loadConsole, useMode } from './mode.ts';
import type { PaletteProps } from './palette/commands.ts';
import { Sidebar } from './Sidebar.tsx';
import { useShortcuts } from './shortcuts.ts';

/** From here, because the frame is loaded wherever the console is. */
export { loadConsole };

/** The prefixes of the queries that a topic makes stale. */
const queriesOf: Record<LiveTopic, readonly QueryKey[]> = {
  verifications: [['verifications'], ['webhooks'], ['test-inbox']],
  requests: [['logs']],
  credits: [['payments', 'history'], ['payments', 'auto-purchase'], currentUser.queryKey],
};

/** Refetches the visible lists when the service reports a change. */
function useLiveLists(): void {
  const queryClient = useQueryClient();
  const isSigningOut = useIsMutating({ mutationKey: SIGN_OUT }) > 0;
  useEffect(() => {
    // The service ends the stream with the session and would refuse to reconnect.
    if (isSigningOut) return;
    // A fetch in flight may have read before the change. Wait for it, so that frequent events cannot keep a slow list from
    // loading.
    const refetch = async (queryKey: QueryKey): Promise<void> => {
      const options = { cancelRefetch: false };
      if (queryClient.isFetching({ queryKey }) > 0)
        await queryClient.invalidateQueries({ queryKey }, options);
      if (queryClient.isMutating({ mutationKey: SIGN_OUT }) > 0) return;
      await queryClient.invalidateQueries({ queryKey }, options);
    };
    const stop = onLiveChange((topics) => {
      for (const queryKey of topics.flatMap((topic) => queriesOf[topic])) void refetch(queryKey);
    });
    let end: (() => void) | undefined;
    let isLeft = false;
    const start = (): void => {
      loadWhenReachable(() => import('../api/live-stream.ts')).then(
        ({ startLiveStream }) => {
          if (!isLeft) end = startLiveStream();
        },
        (cause: unknown) => {
          liveState.set('polling');
          console.error(cause);
        },
      );
    };
    const cancel = whenIdle(start);
    return () => {
      isLeft = true;
      cancel();
      stop();
      end?.();
    };
  }, [queryClient, isSigningOut]);
}

const PROBE_MS = 3_000;

/** Appears while the service is unreachable, because the rows on the screen may be stale. Refetches everything afterwards. */
function OfflineNotice() {
  const queryClient = useQueryClient();
  const isOffline = useSignal(offline);

  useEffect(() => {
    window.addEventListener('offline', noteUnreachable);
    return () => window.removeEventListener('offline', noteUnreachable);
  }, []);
  useEffect(() => {
    if (!isOffline) return;
    const refresh = async (): Promise<void> => {
      if (await isServiceReachable()) await queryClient.invalidateQueries();
    };
    const probing = setInterval(() => void refresh(), PROBE_MS);
    return () => clearInterval(probing);
  }, [isOffline, queryClient]);

  return (
    <div role="status">
      {isOffline ? (
        <Banner label="Connection" tone="gray" icon={<IconCloudOff size={16} aria-hidden />}>
          {`Offline, last updated ${timeOfDay(new Date(reached.get()).toISOString())}`}
        </Banner>
      ) : null}
    </div>
  );
}

const COOKIE = 'sidebar_state';
const SEVEN_DAYS = 60 * 60 * 24 * 7;
const MOBILE = '(max-width: 767.98px)';

const remembered = (): boolean => !hasCookie(`${COOKIE}=false`);

const remember = (isOpen: boolean): void =>
  setCookie(`${COOKIE}=${isOpen}; path=/; max-age=${SEVEN_DAYS}; samesite=lax`);

/** Whether the sidebar is open; stored for 7 days. Below 768 px it is a drawer. Ctrl+B or Cmd+B toggles it, also in inputs. */
function useSidebar() {
  const isMobile = useMediaQuery(MOBILE, undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(remembered);
  const [isDrawerOpen, setDrawerOpen] = useState(false);

  const toggle = useCallback(() => {
    if (isMobile) {
      setDrawerOpen((before) => !before);
      return;
    }
    setOpen((before) => {
      remember(!before);
      return !before;
    });
  }, [isMobile]);
  const closeDrawer = useCallback(() => setDrawerOpen(false), []);
  useHotkeys([['mod+B', toggle]], []);

  return { isMobile, isOpen, isDrawerOpen: isMobile && isDrawerOpen, toggle, closeDrawer };
}

/** The operators' announcements, and a notice if the account is suspended. */
function Announcements() {
  const { data: user } = useQuery(currentUser);
  if (!user) return null;
  return (
    <>
      {user.is_suspended ? (
        <Banner label="Suspended" icon={<IconBan size={16} aria-hidden />}>
          Your account is suspended: its API keys are refused. Please contact {deployment().support_email}.
        </Banner>
      ) : null}
      {user.announcements.map(({ id, text, tone }) => (
        <AnnouncementBanner key={id} label="Announcement" tone={tone}>
          {text}
        </AnnouncementBanner>
      ))}
    </>
  );
}

interface Tone {
  tone: 'info' | 'warning';
}

export const AnnouncementBanner = ({ tone, ...banner }: Tone & { label: string; children: ReactNode }) => (
  <Banner {...banner} tone={tone === 'info' ? 'gray' : 'orange'} icon={<AnnouncementIcon tone={tone} />} />
);

export const AnnouncementIcon = ({ tone }: Tone) =>
  tone === 'warning' ? <IconAlertTriangle size={16} aria-hidden /> : <IconInfoCircle size={16} aria-hidden />;

/** Loaded on the first tap on the toggle, because wide screens do not need it. */
const NavigationDrawer = lazyDialog(async () => (await import('./NavigationDrawer.tsx')).NavigationDrawer);

/** Loaded on the first use. */
const palette = (load: () => Promise<(props: PaletteProps) => ReactNode>) =>
  lazyDialog(async () => {
    try {
      return await load();
    } catch (error) {
      // The palette did not load, so nothing will read the typed keys.
      takeTyped();
      throw error;
    }
  });
const CommandPalette = palette(async () => (await import('./palette/CommandPalette.tsx')).CommandPalette);
const ConsolePalette = palette(async () => (await loadConsole()).ConsolePalette);
const CreateAccountDialog = lazyDialog(
  async () => (await import('../accounts/CreateAccountDialog.tsx')).CreateAccountDialog,
);

type Overlay = 'palette' | 'help' | 'account';

const Shortcuts = lazyDialog(async () => (await import('./palette/Shortcuts.tsx')).Shortcuts);

const NoAccount = lazyPart(async () => (await import('../accounts/NoAccount.tsx')).NoAccount);
const SsoRequired = lazyPart(async () => (await import('../accounts/sso/SsoRequired.tsx')).SsoRequired);

/** Every signed-in screen, unless the user cannot open the account. */
export function AppLayout() {
  const membership = useMembership();
  if (membership === 'here') return <Frame />;
  if (membership === 'gone') return null;
  return <Suspense>{membership === 'none' ? <NoAccount /> : <SsoRequired />}</Suspense>;
}

/** The layout of the signed-in screens: sidebar, header and notices. */
function Frame() {
  const mode = useMode();
  const Palette = mode === 'console' ? ConsolePalette : CommandPalette;
  const sidebar = useSidebar();
  const [overlay, setOverlay] = useState<Overlay>();
  useEffect(() => onAskForAccount((asked) => setOverlay(asked === 'create' ? 'account' : 'palette')), []);
  const openPalette = (): void => {
    typeAhead();
    setOverlay('palette');
  };
  const openHelp = (): void => setOverlay('help');
  // Another overlay may have replaced it.
  const close = (closed: Overlay) => (): void =>
    setOverlay((before) => (before === closed ? undefined : before));
  useShortcuts({ openPalette, openHelp });
  useLiveLists();
  return (
    <div
      className={`grid min-h-dvh grid-cols-1 [transition:grid-template-columns_160ms_ease] ${sidebar.isOpen ? 'md:grid-cols-[var(--sidebar)_minmax(0,1fr)]' : 'md:grid-cols-[var(--rail)_minmax(0,1fr)]'}`}
    >
      <a
        className="absolute top-2 left-2 z-400 rounded-8 bg-accent px-[0.9rem] py-2 text-canvas [transform:translateY(-4rem)] focus:[transform:none]"
        href="#content"
      >
        Skip to content
      </a>
      {sidebar.isMobile ? (
        <NavigationDrawer opened={sidebar.isDrawerOpen} onClose={sidebar.closeDrawer} />
      ) : (
        <div className="sticky top-0 h-dvh overflow-hidden border-e border-line bg-sunken">
          <Sidebar isCollapsed={!sidebar.isOpen} />
        </div>
      )}
      <div className="min-w-0">
        <ProxyNotice />
        <SandboxBanner />
        <Header
          onToggleSidebar={sidebar.toggle}
          onOpenPalette={openPalette}
          isSidebarOpen={sidebar.isMobile ? sidebar.isDrawerOpen : sidebar.isOpen}
        />
        <Announcements />
        <OfflineNotice />
        {mode === 'account' ? <BalanceNotice /> : null}
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto max-w-304 px-6 pt-7 pb-16 [outline:none] max-md:px-4 max-md:pt-5 max-md:pb-12"
        >
          <Outlet />
        </main>
      </div>
      <StepUp />
      <Palette opened={overlay === 'palette'} onClose={close('palette')} openHelp={openHelp} />
      <Shortcuts opened={overlay === 'help'} onClose={close('help')} />
      <CreateAccountDialog opened={overlay === 'account'} onClose={close('account')} />
    </div>
  );
}
