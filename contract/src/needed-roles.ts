import type { Role } from './roles.ts';
import type { Route } from './route.ts';
import type { RouteModule } from './routes.ts';

type NameIn<M> = M extends unknown
  ? { [K in keyof M]: M[K] extends { auth: 'bearer'; name: infer N extends string } ? N : never }[keyof M]
  : never;
/** The name of a call that a member of an account makes. */
export type MemberCall = NameIn<RouteModule>;

/** The lowest role that may make a call. With a text, some of its requests need a higher role, as the text says. */
type Needed = Role | { readonly role: Role; readonly but: string };

const LIVE_KEYS = 'admin for live keys, if the account restricts them to admins';
const LIVE_CONNECTIONS = 'admin for live connections, if the account restricts live keys to admins';
const UP_TO_OWN = 'owner if the member or invitation has or gets the role owner';

/**
 * The lowest role that may make each call. The server, the dashboard and the documentation use this table. It does not compile
 * unless it has an entry for each call of members and no others. Viewers get recipients masked, so they have no call that takes a
 * recipient: its response would reveal whether a guess is right.
 */
export const NEEDED = {
  // verifications
  listVerifications: 'viewer',
  getVerificationFigures: 'viewer',
  exportVerifications: 'viewer',
  getVerification: 'viewer',
  listVerificationWebhooks: 'viewer',
  getRecipient: 'support',
  listSuppressions: 'viewer',
  exportSuppressions: 'viewer',
  createSuppression: 'support',
  deleteSuppression: 'support',
  cancelVerification: 'support',
  sendVerificationAgain: 'support',
  sendTestCode: { role: 'developer', but: LIVE_KEYS },
  verifyTestCode: { role: 'developer', but: LIVE_KEYS },
  listTestMessages: 'developer',
  openLive: 'viewer',
  listRequestLogs: 'viewer',
  exportRequestLogs: 'viewer',
  getInsights: 'viewer',
  getFallback: 'viewer',
  getUnverifiedCosts: 'viewer',

  // API keys
  listApiKeys: 'viewer',
  createApiKey: { role: 'developer', but: LIVE_KEYS },
  updateApiKey: { role: 'developer', but: LIVE_KEYS },
  rotateApiKey: { role: 'developer', but: LIVE_KEYS },
  deleteApiKey: 'developer',
  getKeyRules: 'viewer',
  updateKeyRules: 'admin',

  // limits
  listLimits: 'viewer',
  createLimit: 'developer',
  updateLimit: 'developer',
  deleteLimit: 'developer',

  // connections
  listConnections: 'viewer',
  createConnection: { role: 'developer', but: LIVE_CONNECTIONS },
  updateConnection: { role: 'developer', but: LIVE_CONNECTIONS },
  rotateConnection: { role: 'developer', but: LIVE_CONNECTIONS },
  testConnection: { role: 'developer', but: LIVE_CONNECTIONS },
  deleteConnection: 'developer',

  // webhooks
  listWebhooks: 'viewer',
  listWebhookAttempts: 'viewer',
  listWebhookMessages: 'viewer',
  getWebhookAttempt: 'viewer',
  getWebhookQueue: 'viewer',
  exportWebhookAttempts: 'viewer',
  createWebhook: 'developer',
  updateWebhook: 'developer',
  deleteWebhook: 'developer',
  testWebhook: 'developer',
  rotateWebhookSecret: 'developer',
  replayWebhookMessage: 'developer',
  replayFailedWebhooks: 'developer',

  // templates
  listTemplates: 'viewer',
  previewTemplate: 'developer',
  createTemplate: 'developer',
  updateTemplate: 'developer',
  deleteTemplate: 'developer',

  // protection
  getProtection: 'viewer',
  listBlocks: 'viewer',
  checkOwnDestination: 'support',
  backTestRule: 'developer',
  playWorstDay: 'developer',
  allowDestination: { role: 'support', but: 'a prefix, network or country needs the role admin' },
  denyDestination: 'admin',
  removeListEntry: 'admin',
  updateProtection: 'admin',
  listDecisions: 'support',
  exportDecisions: 'support',
  getDecisionFigures: 'viewer',
  getKnownRecipients: 'viewer',
  importKnownRecipients: 'admin',
  removeKnownRecipient: 'support',
  deleteKnownRecipients: 'admin',
  getSpend: 'viewer',
  updateSpend: 'admin',

  // settings of the account
  getMe: 'viewer',
  getBranding: 'viewer',
  previewBranding: 'viewer',
  updateBranding: 'admin',
  updateLowBalance: 'admin',
  getPlans: 'viewer',
  updatePlans: 'admin',
  listMessageDomains: 'viewer',
  addMessageDomain: 'admin',
  verifyMessageDomain: 'admin',
  removeMessageDomain: 'admin',
  listAuditEntries: { role: 'support', but: 'developers and support get only their own entries' },
  exportAuditEntries: { role: 'support', but: 'developers and support get only their own entries' },
  deleteMe: 'owner',
  renameAccount: 'admin',

  // members
  listMembers: 'viewer',
  changeRole: { role: 'admin', but: UP_TO_OWN },
  removeMember: { role: 'admin', but: UP_TO_OWN },
  leaveAccount: 'viewer',
  updateNotices: 'viewer',
  listInvitations: 'admin',
  createInvitation: { role: 'admin', but: UP_TO_OWN },
  resendInvitation: { role: 'admin', but: UP_TO_OWN },
  revokeInvitation: { role: 'admin', but: UP_TO_OWN },

  // credits
  getPrices: 'viewer',
  listPackages: 'admin',
  calculatePrice: 'admin',
  listPaymentMethods: 'admin',
  deletePaymentMethod: 'admin',
  createIntent: 'admin',
  createWithSaved: 'admin',
  confirmPayment: 'admin',
  confirmSandboxPayment: 'admin',
  getAutoPurchase: 'admin',
  updateAutoPurchase: 'admin',
  listTransactions: 'admin',
  exportTransactions: 'admin',
  getReceipt: 'admin',
  transferCredits: 'owner',

  // single sign-on
  getSso: 'owner',
  updateSso: 'owner',
  checkSso: 'owner',
  removeSso: 'owner',
  startSsoTest: 'owner',
} as const satisfies Record<MemberCall, Needed>;

const table: Readonly<Record<string, Needed>> = NEEDED;
const entryOf = ({ name, auth }: Pick<Route, 'name' | 'auth'>): Needed | undefined =>
  auth === 'bearer' ? table[name] : undefined;

/** The lowest role that may make the call; undefined for a call that is not made as a member of an account. */
export function neededRole(route: Pick<Route, 'name' | 'auth'>): Role | undefined {
  const entry = entryOf(route);
  return typeof entry === 'object' ? entry.role : entry;
}

/** Which requests of the call need a higher role. */
export function roleException(route: Pick<Route, 'name' | 'auth'>): string | undefined {
  const entry = entryOf(route);
  return typeof entry === 'object' ? entry.but : undefined;
}
