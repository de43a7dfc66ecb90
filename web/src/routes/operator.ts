import { createRoute, lazyRouteComponent, stripSearchParams } from '@tanstack/react-router';
import { auditSearch as accountAuditSearch } from '../audit/audit-search.ts';
import { titled } from '../frame/title.ts';
import { insightsDefaults, readInsightsSearch } from '../insights/insights.ts';
import { operatorPages } from '../operator/operator-pages.ts';
import {
  accountSearch,
  announcementSearch,
  auditSearch,
  keySearch,
  messageSearch,
  purchaseSearch,
} from '../operator/searches.ts';
import { verificationSearch } from '../otp/verifications.ts';
import { transactionSearch } from '../payments/transaction-search.ts';
import { requestLogSearch } from '../request-logs/request-logs.ts';
import { withOpened } from '../ui/opened.ts';
import { app } from './signed-in.ts';

/** The operator console, which only operators see. */
const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  component: lazyRouteComponent(() => import('../operator/OperatorLayout.tsx'), 'OperatorLayout'),
});

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/',
  head: titled(operatorPages.overview),
  component: lazyRouteComponent(() => import('../operator/Overview.tsx'), 'Overview'),
});

const accounts = createRoute({
  getParentRoute: () => operator,
  path: '/accounts',
  ...accountSearch.routing,
  head: titled(operatorPages.accounts),
  component: lazyRouteComponent(() => import('../operator/accounts/Accounts.tsx'), 'Accounts'),
});

const carriers = createRoute({
  getParentRoute: () => operator,
  path: '/carriers',
  head: titled(operatorPages.carriers),
  component: lazyRouteComponent(() => import('../operator/carriers/Carriers.tsx'), 'Carriers'),
});

const operatorProtection = createRoute({
  getParentRoute: () => operator,
  path: '/protection',
  head: titled(operatorPages.protection),
  component: lazyRouteComponent(
    () => import('../operator/settings/OperatorProtection.tsx'),
    'OperatorProtection',
  ),
});

const prices = createRoute({
  getParentRoute: () => operator,
  path: '/prices',
  head: titled(operatorPages.prices),
  component: lazyRouteComponent(() => import('../operator/prices/Prices.tsx'), 'Prices'),
});

const payments = createRoute({
  getParentRoute: () => operator,
  path: '/payments',
  ...purchaseSearch.routing,
  head: titled(operatorPages.payments),
  component: lazyRouteComponent(() => import('../operator/payments/Payments.tsx'), 'Payments'),
});

const optOuts = createRoute({
  getParentRoute: () => operator,
  path: '/opt-outs',
  head: titled(operatorPages.optOuts),
  component: lazyRouteComponent(() => import('../operator/carriers/OptOuts.tsx'), 'OptOuts'),
});

const announcements = createRoute({
  getParentRoute: () => operator,
  path: '/announcements',
  ...withOpened(announcementSearch.routing, 'dialog'),
  head: titled(operatorPages.announcements),
  component: lazyRouteComponent(() => import('../operator/Announcements.tsx'), 'Announcements'),
});

const keys = createRoute({
  getParentRoute: () => operator,
  path: '/keys',
  ...withOpened(keySearch.routing, 'dialog'),
  head: titled(operatorPages.keys),
  component: lazyRouteComponent(() => import('../operator/access/Keys.tsx'), 'Keys'),
});

const operatorSettings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  head: titled(operatorPages.settings),
  component: lazyRouteComponent(() => import('../operator/settings/Settings.tsx'), 'Settings'),
});

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  ...auditSearch.routing,
  head: titled(operatorPages.audit),
  component: lazyRouteComponent(() => import('../operator/Audit.tsx'), 'Audit'),
});

/** One account, and a tab for each of its subjects. */
const account = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$id',
  head: titled(operatorPages.accounts),
  component: lazyRouteComponent(() => import('../operator/accounts/AccountLayout.tsx'), 'AccountLayout'),
});

const accountOverview = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('../operator/accounts/Account.tsx'), 'Account'),
});

const accountVerifications = createRoute({
  getParentRoute: () => account,
  path: '/verifications',
  ...verificationSearch.routing,
  component: lazyRouteComponent(
    () => import('../operator/accounts/AccountVerifications.tsx'),
    'AccountVerifications',
  ),
});

const accountRequests = createRoute({
  getParentRoute: () => account,
  path: '/requests',
  ...requestLogSearch.routing,
  component: lazyRouteComponent(() => import('../operator/accounts/AccountRequests.tsx'), 'AccountRequests'),
});

const accountInsights = createRoute({
  getParentRoute: () => account,
  path: '/insights',
  validateSearch: readInsightsSearch,
  search: { middlewares: [stripSearchParams(insightsDefaults)] },
  component: lazyRouteComponent(() => import('../operator/accounts/AccountInsights.tsx'), 'AccountInsights'),
});

const accountPayments = createRoute({
  getParentRoute: () => account,
  path: '/payments',
  ...transactionSearch.routing,
  component: lazyRouteComponent(() => import('../operator/accounts/AccountPayments.tsx'), 'AccountPayments'),
});

const accountWebhooks = createRoute({
  getParentRoute: () => account,
  path: '/webhooks',
  ...messageSearch.routing,
  component: lazyRouteComponent(() => import('../operator/accounts/AccountWebhooks.tsx'), 'AccountWebhooks'),
});

const accountBlocks = createRoute({
  getParentRoute: () => account,
  path: '/blocks',
  component: lazyRouteComponent(() => import('../operator/accounts/AccountBlocks.tsx'), 'AccountBlocks'),
});

const accountActivity = createRoute({
  getParentRoute: () => account,
  path: '/activity',
  ...accountAuditSearch.routing,
  component: lazyRouteComponent(() => import('../operator/accounts/AccountActivity.tsx'), 'AccountActivity'),
});

const accountSettings = createRoute({
  getParentRoute: () => account,
  path: '/settings',
  component: lazyRouteComponent(() => import('../operator/accounts/AccountSettings.tsx'), 'AccountSettings'),
});

export const operatorRoutes = operator.addChildren([
  overview,
  accounts,
  carriers,
  operatorProtection,
  prices,
  payments,
  optOuts,
  announcements,
  keys,
  operatorSettings,
  audit,
  account.addChildren([
    accountOverview,
    accountVerifications,
    accountRequests,
    accountInsights,
    accountPayments,
    accountWebhooks,
    accountBlocks,
    accountActivity,
    accountSettings,
  ]),
]);
