/**
 * Accounts: identity, sign-in and send settings. Ending a session takes effect immediately, a code verifies once, responses do
 * not reveal whether an account exists, and a flood of requests does not lock an owner out.
 */

export { type App, personOf } from './account.ts';
export {
  accountTotals,
  emailsOf,
  emailsOfPeople,
  findAccount,
  type ListedAccount,
  lastSessionsOf,
  selectAccounts,
} from './all-accounts.ts';
export { accountTexts, type Erasing, eraseMembersOf, findDeletedAccount, noteErased } from './erase.ts';
export { reserveCarrierTest } from './limits.ts';
export { lockMembers } from './members/authority.ts';
export { makeOwner } from './members/members.ts';
export { findMemberOf, selectMembers } from './members/queries.ts';
export { provePassword } from './passwords/password-check.ts';
export { createPasswords, type Passwords } from './passwords/passwords.ts';
export { brandingOf, changeAutoPurchase } from './profile/branding.ts';
export {
  confirmEmailChange,
  type EmailChange,
  type EmailChangeApp,
  requestEmailChange,
} from './profile/email-change.ts';
export {
  billingNameOf,
  contactOf,
  countPeopleWith,
  findContact,
  findPerson,
  hasAccounts,
  insertPerson,
  lockPerson,
  switchOffAutoPurchase,
} from './queries.ts';
export {
  authenticateMember,
  authenticatePerson,
  bearerToken,
  findPersonCaller,
  lockSuspension,
  resume,
  type Suspension,
  suspend,
} from './sessions/access.ts';
export { type Client, clientOf } from './sessions/client.ts';
export { isMemberSessionOpen, selectOpenMemberSessions } from './sessions/memberships.ts';
export { endSessionsOf, isSessionOpen, selectSessions } from './sessions/sessions.ts';
export { endSsoSessionsOf, isOwnerWithProof, shortenSsoSessionsOf } from './sessions/sso-people.ts';
export { canDeliverCodes, type FirstOperatorApp, openFirstOperator } from './sign-in/first-operator.ts';
export { foundAccount } from './sign-in/sign-up.ts';
