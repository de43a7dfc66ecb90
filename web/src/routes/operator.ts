import { createRoute, stripSearchParams } from '@tanstack/react-router';
import { auditSearch as accountAuditSearch } from '../audit/audit.ts';
import { lazyRouteComponent } from '../frame/lazy-screen.ts';
import { titled } from '../frame/title.ts';
import { insightsDefaults, readInsightsSearch } from '../insights/insights.ts';
import { firstCodePage, operatorPages } from '../operator/operator-pages.ts';
import {
  accountSearch,
  announcementSearch,
  auditSearch,
  keySearch,
  messageSearch,
  purchaseSearch,
  readFirstCodeSearch,
} from '../operator/searches.ts';
import { verificationSearch } from '../otp/verifications.ts';
import { transactionSearch } from '../payments/payments.ts';
import { requestLogSearch } from '../request-logs/request-logs.ts';
import { withOpened } from '../ui/opened.ts';
import { app } from './signed-in.ts';

const screens = () => import('../operator/screens.ts');

/** The operator console, which only operators see. */
const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  component: lazyRouteComponent(async () => (await screens()).OperatorLayout(), 'OperatorLayout'),
});

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/',
  head: titled(operatorPages.overview),
  component: lazyRouteComponent(async () => (await screens()).Overview(), 'Overview'),
});

const accounts = createRoute({
  getParentRoute: () => operator,
  path: '/accounts',
  ...accountSearch.routing,
  head: titled(operatorPages.accounts),
  component: lazyRouteComponent(async () => (await screens()).Accounts(), 'Accounts'),
});

const carriers = createRoute({
  getParentRoute: () => operator,
  path: '/carriers',
  head: titled(operatorPages.carriers),
  component: lazyRouteComponent(async () => (await screens()).Carriers(), 'Carriers'),
});

const firstCode = createRoute({
  getParentRoute: () => operator,
  path: '/carriers/first-code',
  validateSearch: readFirstCodeSearch,
  search: { middlewares: [stripSearchParams({ country: '' })] },
  head: titled(firstCodePage),
  component: lazyRouteComponent(async () => (await screens()).FirstCode(), 'FirstCode'),
});

const operatorProtection = createRoute({
  getParentRoute: () => operator,
  path: '/protection',
  head: titled(operatorPages.protection),
  component: lazyRouteComponent(async () => (await screens()).OperatorProtection(), 'OperatorProtection'),
});

const prices = createRoute({
  getParentRoute: () => operator,
  path: '/prices',
  head: titled(operatorPages.prices),
  component: lazyRouteComponent(async () => (await screens()).Prices(), 'Prices'),
});

const payments = createRoute({
  getParentRoute: () => operator,
  path: '/payments',
  ...purchaseSearch.routing,
  head: titled(operatorPages.payments),
  component: lazyRouteComponent(async () => (await screens()).Payments(), 'Payments'),
});

const optOuts = createRoute({
  getParentRoute: () => operator,
  path: '/opt-outs',
  head: titled(operatorPages.optOuts),
  component: lazyRouteComponent(async () => (await screens()).OptOuts(), 'OptOuts'),
});

const announcements = createRoute({
  getParentRoute: () => operator,
  path: '/announcements',
  ...withOpened(announcementSearch.routing, 'dialog'),
  head: titled(operatorPages.announcements),
  component: lazyRouteComponent(async () => (await screens()).Announcements(), 'Announcements'),
});

const keys = createRoute({
  getParentRoute: () => operator,
  path: '/keys',
  ...withOpened(keySearch.routing, 'dialog'),
  head: titled(operatorPages.keys),
  component: lazyRouteComponent(async () => (await screens()).Keys(), 'Keys'),
});

const operatorSettings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  head: titled(operatorPages.settings),
  component: lazyRouteComponent(async () => (await screens()).Settings(), 'Settings'),
});

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  ...auditSearch.routing,
  head: titled(operatorPages.audit),
  component: lazyRouteComponent(async () => (await screens()).Audit(), 'Audit'),
});

/** One account, and a tab for each of its subjects. */
const account = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$id',
  head: titled(operatorPages.accounts),
  component: lazyRouteComponent(async () => (await screens()).AccountLayout(), 'AccountLayout'),
});

const accountOverview = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(async () => (await screens()).Account(), 'Account'),
});

const accountVerifications = createRoute({
  getParentRoute: () => account,
  path: '/verifications',
  ...verificationSearch.routing,
  component: lazyRouteComponent(async () => (await screens()).AccountVerifications(), 'AccountVerifications'),
});

const accountRequests = createRoute({
  getParentRoute: () => account,
  path: '/requests',
  ...requestLogSearch.routing,
  component: lazyRouteComponent(async () => (await screens()).AccountRequests(), 'AccountRequests'),
});

const accountInsights = createRoute({
  getParentRoute: () => account,
  path: '/insights',
  validateSearch: readInsightsSearch,
  search: { middlewares: [stripSearchParams(insightsDefaults)] },
  component: lazyRouteComponent(async () => (await screens()).AccountInsights(), 'AccountInsights'),
});

const accountPayments = createRoute({
  getParentRoute: () => account,
  path: '/payments',
  ...transactionSearch.routing,
  component: lazyRouteComponent(async () => (await screens()).AccountPayments(), 'AccountPayments'),
});

const accountWebhooks = createRoute({
  getParentRoute: () => account,
  path: '/webhooks',
  ...messageSearch.routing,
  component: lazyRouteComponent(async () => (await screens()).AccountWebhooks(), 'AccountWebhooks'),
});

const accountBlocks = createRoute({
  getParentRoute: () => account,
  path: '/blocks',
  component: lazyRouteComponent(async () => (await screens()).AccountBlocks(), 'AccountBlocks'),
});

const accountActivity = createRoute({
  getParentRoute: () => account,
  path: '/activity',
  ...accountAuditSearch.routing,
  component: lazyRouteComponent(async () => (await screens()).AccountActivity(), 'AccountActivity'),
});

const accountSettings = createRoute({
  getParentRoute: () => account,
  path: '/settings',
  component: lazyRouteComponent(async () => (await screens()).AccountSettings(), 'AccountSettings'),
});

export const operatorRoutes = operator.addChildren([
  overview,
  accounts,
  carriers,
  firstCode,
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
