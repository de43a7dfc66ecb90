/**
 * Accounts: identity, sign-in and send settings. An ended session stops at once, a code verifies once, responses do not reveal
 * whether an account exists, and a flood of requests does not lock an owner out.
 */
export { authenticateSession } from './access.ts';
export { accountTexts } from './erasure.ts';
export { createPasswords } from './passwords.ts';
export {
  billingNameOf,
  countAccountsWith,
  hasAccounts,
  insertAccount,
  switchOffAutoPurchase,
} from './queries.ts';
export { welcome } from './welcome.ts';
