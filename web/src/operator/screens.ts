/**
 * The screens of the operator console. A file of their own, so that the lists of their files are not part of every customer's first
 * load.
 */
/** With the sidebar and breadcrumbs, so that no screen appears without them. */
export const OperatorLayout = async () => {
  const [layout] = await Promise.all([
    import('./OperatorLayout.tsx'),
    import('../frame/AppLayout.tsx').then(({ loadConsole }) => loadConsole()),
  ]);
  return layout;
};
export const Overview = () => import('./Overview.tsx');
export const Accounts = () => import('./accounts/Accounts.tsx');
export const FirstCode = () => import('./carriers/FirstCode.tsx');
export const Carriers = () => import('./carriers/Carriers.tsx');
export const OperatorProtection = () => import('./settings/OperatorProtection.tsx');
export const Prices = () => import('./prices/Prices.tsx');
export const Payments = () => import('./payments/Payments.tsx');
export const OptOuts = () => import('./carriers/OptOuts.tsx');
export const Announcements = () => import('./Announcements.tsx');
export const Keys = () => import('./access/Keys.tsx');
export const Settings = () => import('./settings/Settings.tsx');
export const Audit = () => import('./Audit.tsx');
export const AccountLayout = () => import('./accounts/AccountLayout.tsx');
export const Account = () => import('./accounts/Account.tsx');
export const AccountVerifications = () => import('./accounts/AccountVerifications.tsx');
export const AccountRequests = () => import('./accounts/AccountRequests.tsx');
export const AccountInsights = () => import('./accounts/AccountInsights.tsx');
export const AccountPayments = () => import('./accounts/AccountPayments.tsx');
export const AccountWebhooks = () => import('./accounts/AccountWebhooks.tsx');
export const AccountBlocks = () => import('./accounts/AccountBlocks.tsx');
export const AccountActivity = () => import('./accounts/AccountActivity.tsx');
export const AccountSettings = () => import('./accounts/AccountSettings.tsx');
