/**
 * Accounts: identity, sign-in and send settings. Ending a session takes effect immediately, a code verifies once, responses do
 * not reveal whether an account exists, and a flood of requests does not lock an owner out.
 */

export {
  authenticateSession,
  bearerToken,
  findUserCaller,
  lockSuspension,
  resume,
  type Suspension,
  suspend,
} from './access.ts';
export {
  type AccountFacts,
  type AccountFilter,
  accountTotals,
  emailsOf,
  findAccount,
  type ListedAccount,
  lastSessionsOf,
  selectAccounts,
} from './all-accounts.ts';
export { brandingOf, changeAutoPurchase } from './branding.ts';
export { type Client, clientOf } from './client.ts';
export { accountTexts, eraseAccount } from './delete-account.ts';
export {
  confirmEmailChange,
  type EmailChange,
  type EmailChangeApp,
  requestEmailChange,
} from './email-change.ts';
export { canDeliverCodes, type InvitationApp, inviteAccount } from './invitation.ts';
export { reserveCarrierTest } from './limits.ts';
export { createPasswords, type Passwords } from './passwords.ts';
export {
  billingNameOf,
  countAccountsWith,
  hasAccounts,
  insertAccount,
  lockAccount,
  switchOffAutoPurchase,
} from './queries.ts';
export {
  endSessionsOf,
  isSessionOpen,
  selectOpenSessions,
  selectSessions,
} from './sessions.ts';
export { endSsoSessionsOf, isOwnerWithProof } from './sso-people.ts';
export { welcome } from './welcome.ts';
