import './theme/mantine.css';
import './theme/typeface.css';
import './theme/global.css';
import './theme/touch.css';
import './theme/utilities.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRouter, RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { currentUser } from './accounts/current-user.ts';
import { resolveTab } from './accounts/own-accounts.ts';
import { accountRewrite, beginTab } from './api/account.ts';
import { nowMs } from './api/clock.ts';
import { loadDeployment } from './api/deployment.ts';
import { forgetEarly } from './api/early.ts';
import { noneFetching, queryClient } from './api/queries.ts';
import { isSignedIn, onSignInElsewhere } from './api/session.ts';
import { hasToasts, onFirstToast } from './api/toast.ts';
import { atMost } from './api/waiting.ts';
import { RouteError, ScreenError } from './frame/RouteError.tsx';
import { UnreachableError } from './frame/unreachable.ts';
import { NotFound } from './routes/root.tsx';
import { routeTree } from './routes/tree.ts';
import { parseSearch, stringifySearch } from './table/search.ts';
import { shareStyleNonce, styleNonce } from './theme/nonce.ts';
import { cssVariables, theme } from './theme/theme.ts';
import { followFocus, keepFocus } from './ui/focus-return.ts';
import { lazyPart } from './ui/lazy-part.ts';
import type { First } from './ui/Tooltips.tsx';

beginTab(isSignedIn());

const router = createRouter({
  routeTree,
  rewrite: accountRewrite,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadDelay: 20,
  // The query client decides whether data is stale.
  defaultPreloadStaleTime: 0,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
  notFoundMode: 'root',
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// Runs the route guards again.
onSignInElsewhere((isSignedIn) => {
  if (!isSignedIn) queryClient.clear();
  void router.invalidate();
});

/** Loaded by the first toast. */
const ToastContainer = lazy(async () => ({
  default: (await import('./ui/ToastContainer.tsx')).ToastContainer,
}));

const Toasts = () =>
  useSyncExternalStore(onFirstToast, hasToasts) ? (
    <Suspense>
      <ToastContainer />
    </Suspense>
  ) : null;

const Tooltips = lazyPart(async () => (await import('./ui/Tooltips.tsx')).Tooltips);

/** The tooltips, whose code loads when the pointer or the focus is first on an element with one: they open 700 ms later. */
function LazyTooltips() {
  const [first, setFirst] = useState<First>();
  useEffect(() => {
    if (first) return;
    const note = ({ target }: Event): void => {
      const tipped = target instanceof Element ? target.closest('[data-tip]') : null;
      if (tipped) setFirst({ element: tipped, atMs: nowMs() });
    };
    document.addEventListener('pointerover', note);
    document.addEventListener('focusin', note);
    return () => {
      document.removeEventListener('pointerover', note);
      document.removeEventListener('focusin', note);
    };
  }, [first]);
  return <Suspense>{first ? <Tooltips first={first} /> : null}</Suspense>;
}

const App = () => (
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
        <LazyTooltips />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
);

/** The longest wait for the first screen's code and the style sheets. The page is then drawn without them. */
const FIRST_CODE_MS = 10_000;
const FIRST_DATA_MS = 150;
const NOTICES_MS = 1_000;
const unreachable = new UnreachableError('The service could not be reached.');

const Unreachable = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    getStyleNonce={styleNonce}
    deduplicateCssVariables={false}
  >
    <RouteError error={unreachable} onRetry={start} />
  </MantineProvider>
);

/** Loads the code that follows a translation when the browser starts one, because most visits have none. */
function awaitTranslation(): void {
  const seen: MutationRecord[] = [];
  const watching = new MutationObserver((records) => {
    const isBegun = records.some(({ addedNodes }) =>
      [...addedNodes].some((node) => node.nodeName === 'FONT'),
    );
    const isFirst = seen.length === 0;
    if (!isBegun && isFirst) return;
    seen.push(...records);
    if (!isFirst) return;
    void import('./ui/translation.ts').then(({ followTranslation }) => {
      watching.disconnect();
      followTranslation(seen.splice(0));
    });
  });
  watching.observe(document.body, { childList: true, subtree: true });
}

shareStyleNonce();
followFocus();
keepFocus();
awaitTranslation();
// Loads the first screen's code while the deployment loads.
for (const route of router.getMatchedRoutes(router.latestLocation.pathname)[0])
  void router.loadRouteChunk(route);
const root = createRoot(document.getElementById('root') as HTMLElement);

/**
 * Loads the first screen's code, and its data if it arrives soon: drawing the rows once is faster than drawing an empty frame
 * and then the rows. Also waits for the user, because notices above the screen depend on it and would move the screen later.
 */
async function firstData(): Promise<void> {
  await atMost(FIRST_CODE_MS, router.load());
  await noneFetching(queryClient, FIRST_DATA_MS);
  await noneFetching(queryClient, NOTICES_MS, { queryKey: currentUser.queryKey });
}

/** The page's style sheets, which do not delay the first paint (see first-paint.js). */
const sheets = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
const styled = atMost(
  FIRST_CODE_MS,
  Promise.all(
    sheets.map(
      (sheet) =>
        sheet.sheet ??
        new Promise((resolve) => {
          sheet.addEventListener('load', resolve);
          sheet.addEventListener('error', resolve);
        }),
    ),
  ),
);

function start(): void {
  Promise.all([loadDeployment().then(resolveTab), styled]).then(
    async () => {
      // A visitor who is not signed in is redirected first, which needs the frame.
      if (isSignedIn()) await firstData();
      forgetEarly();
      root.render(<App />);
    },
    (cause: unknown) => {
      console.error(cause);
      root.render(<Unreachable />);
    },
  );
}
start();
