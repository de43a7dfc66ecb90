import { createRoute, redirect, stripSearchParams } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { prefetchSettings } from '../accounts/settings.ts';
import { isSignedIn } from '../api/session.ts';
import { apiKeyPage, apiKeySearch, prefetchKeyChoices } from '../api-keys/api-keys.ts';
import { auditPage, auditSearch } from '../audit/audit.ts';
import { connectionPage } from '../connections/connections.ts';
import { docsDefaults, readDocsSearch } from '../docs/docs-address.ts';
import { lazyRouteComponent } from '../frame/lazy-screen.ts';
import { titled } from '../frame/title.ts';
import { insightsDefaults, insightsOf, readInsightsSearch } from '../insights/insights.ts';
import { newestVerification, verificationPage, verificationSearch } from '../otp/verifications.ts';
import { otherPages, pages } from '../pages.ts';
import { prefetchCredits, receiptOf, transactionSearch } from '../payments/payments.ts';
import { decisionPage, decisionSearch } from '../protection/decisions/decisions.ts';
import { prefetchProtection } from '../protection/protection.ts';
import { requestLogPage, requestLogSearch } from '../request-logs/request-logs.ts';
import { suppressionSearch } from '../suppressions/suppressions.ts';
import { withOpened } from '../ui/opened.ts';
import { webhookPage, webhookSearch } from '../webhooks/webhooks.ts';
import { root } from './root.tsx';

/** For `beforeLoad`. Redirects signed-out visitors to /sign-in, and back to the requested page afterwards. */
function signedInOnly({ location }: { location: { publicHref: string } }): void {
  if (!isSignedIn()) throw redirect({ to: '/sign-in', search: { redirect: location.publicHref } });
}

/** The signed-in area. */
export const app = createRoute({
  getParentRoute: () => root,
  id: '_app',
  beforeLoad: signedInOnly,
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(currentUser);
  },
  component: lazyRouteComponent(() => import('../frame/AppLayout.tsx'), 'AppLayout'),
});

const verifications = createRoute({
  getParentRoute: () => app,
  path: '/',
  ...withOpened(withOpened(verificationSearch.routing, 'otp'), 'dialog'),
  loaderDeps: ({ search: { otp: _, dialog: __, ...list } }) => list,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(verificationPage(deps));
    prefetchKeyChoices(queryClient);
    void queryClient.prefetchQuery(newestVerification());
  },
  head: titled(pages.verifications),
  component: lazyRouteComponent(() => import('../otp/Verifications.tsx'), 'Verifications'),
});

const insights = createRoute({
  getParentRoute: () => app,
  path: '/insights',
  validateSearch: readInsightsSearch,
  search: { middlewares: [stripSearchParams(insightsDefaults)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(insightsOf(deps));
    prefetchKeyChoices(queryClient);
  },
  head: titled(pages.insights),
  component: lazyRouteComponent(() => import('../insights/Insights.tsx'), 'Insights'),
});

const logs = createRoute({
  getParentRoute: () => app,
  path: '/logs',
  ...withOpened(requestLogSearch.routing, 'request'),
  loaderDeps: ({ search: { request: _, ...list } }) => list,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(requestLogPage(deps));
    prefetchKeyChoices(queryClient);
  },
  head: titled(pages.logs),
  component: lazyRouteComponent(() => import('../request-logs/RequestLogs.tsx'), 'RequestLogs'),
});

const apiKeys = createRoute({
  getParentRoute: () => app,
  path: '/api-keys',
  ...withOpened(apiKeySearch.routing, 'dialog'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(apiKeyPage(deps));
  },
  head: titled(pages.apiKeys),
  component: lazyRouteComponent(() => import('../api-keys/ApiKeys.tsx'), 'ApiKeys'),
});

const connections = createRoute({
  getParentRoute: () => app,
  path: '/connections',
  ...withOpened(apiKeySearch.routing, 'dialog'),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(connectionPage(apiKeySearch.defaults));
  },
  head: titled(pages.connections),
  component: lazyRouteComponent(() => import('../connections/Connections.tsx'), 'Connections'),
});

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  ...withOpened(withOpened(webhookSearch.routing, 'dialog'), 'attempts'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(webhookPage(deps));
  },
  head: titled(pages.webhooks),
  component: lazyRouteComponent(() => import('../webhooks/Webhooks.tsx'), 'Webhooks'),
});

const protection = createRoute({
  getParentRoute: () => app,
  path: '/protection',
  loader: ({ context: { queryClient } }) => prefetchProtection(queryClient),
  head: titled(pages.protection),
  component: lazyRouteComponent(() => import('../protection/Protection.tsx'), 'Protection'),
});

const decisions = createRoute({
  getParentRoute: () => app,
  path: '/protection/decisions',
  ...decisionSearch.routing,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(decisionPage(deps));
    prefetchKeyChoices(queryClient);
  },
  head: titled(otherPages.decisions),
  component: lazyRouteComponent(() => import('../protection/decisions/Decisions.tsx'), 'Decisions'),
});

const credits = createRoute({
  getParentRoute: () => app,
  path: '/credits',
  ...withOpened(withOpened(transactionSearch.routing, 'step'), 'costs'),
  loaderDeps: ({ search: { page, search, ordering, type } }) => ({ page, search, ordering, type }),
  loader: ({ context: { queryClient }, deps }) => prefetchCredits(queryClient, deps),
  head: titled(pages.credits),
  component: lazyRouteComponent(() => import('../payments/Credits.tsx'), 'Credits'),
});

const docs = createRoute({
  getParentRoute: () => app,
  path: '/docs',
  validateSearch: readDocsSearch,
  search: { middlewares: [stripSearchParams(docsDefaults)] },
  head: titled(pages.docs),
  component: lazyRouteComponent(() => import('../docs/Docs.tsx'), 'Docs'),
});

const team = createRoute({
  getParentRoute: () => app,
  path: '/team',
  head: titled(pages.team),
  component: lazyRouteComponent(() => import('../team/Team.tsx'), 'Team'),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  loader: ({ context: { queryClient } }) => prefetchSettings(queryClient),
  head: titled(pages.settings),
  component: lazyRouteComponent(() => import('../settings/Settings.tsx'), 'Settings'),
});

const activity = createRoute({
  getParentRoute: () => app,
  path: '/settings/activity',
  ...auditSearch.routing,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(auditPage(deps));
  },
  head: titled(otherPages.activity),
  component: lazyRouteComponent(() => import('../audit/Activity.tsx'), 'Activity'),
});

const templates = createRoute({
  getParentRoute: () => app,
  path: '/settings/templates',
  ...withOpened(apiKeySearch.routing, 'dialog'),
  head: titled(otherPages.templates),
  component: lazyRouteComponent(() => import('../templates/Templates.tsx'), 'Templates'),
});

const suppressions = createRoute({
  getParentRoute: () => app,
  path: '/protection/suppressed',
  ...withOpened(suppressionSearch.routing, 'dialog'),
  head: titled(otherPages.suppressions),
  component: lazyRouteComponent(() => import('../suppressions/Suppressions.tsx'), 'Suppressions'),
});

export const appScreens = [
  verifications,
  insights,
  logs,
  apiKeys,
  connections,
  webhooks,
  protection,
  decisions,
  credits,
  team,
  docs,
  settings,
  activity,
  templates,
  suppressions,
] as const;

/** Without the dashboard's layout, because it is for printing. */
export const receipt = createRoute({
  getParentRoute: () => root,
  path: '/receipt/$id',
  beforeLoad: signedInOnly,
  loader: ({ context: { queryClient }, params: { id } }) => {
    void queryClient.prefetchQuery(receiptOf(id));
  },
  head: titled(otherPages.receipt),
  component: lazyRouteComponent(() => import('../payments/ReceiptPage.tsx'), 'ReceiptPage'),
});
