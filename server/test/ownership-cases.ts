import type { Route } from '@sixdigit/contract/route.ts';
import { type Owner, TEST_CARD } from './belongings.ts';
import type { CallInput } from './call.ts';

/** How Bob calls each route with Alice's ids. */

/** The verification of a phone number in progress. */
export interface Proof {
  session_token: string;
  code: string;
}

/** Alice's ids, for Bob's requests. */
export interface Registered {
  passkey_id: string;
  message_domain_id: string;
  invitation_id: string;
  invitation_token: string;
}

/** The ids that a request can contain. */
export type Named = Owner & Proof & Registered;

export type Case =
  /** names an object: another account's gets the same response as a missing one, with this status */
  | { names: (whose: Named) => CallInput<Route>; refused?: 400 | 404; byPath?: true }
  /** a list: filtering by another account's ids returns no rows */
  | { lists: ((whose: Named) => Record<string, string>)[] }
  /** concerns only the caller */
  | { own: CallInput<Route> }
  | 'anyone may call it';

export const PRICE = { credits: 100, price_usd_cents: 200 };
const TEMPLATE = { name: 'taken-over', texts: [{ channel: 'sms', locale: 'en', text: '{code}' }] };
const HOOK = { name: 'Taken over', url: 'https://example.com/' };
const byId = (id: (whose: Named) => string, input: CallInput<Route> = {}): Case => ({
  names: (whose) => ({ ...input, params: { id: id(whose) } }),
  byPath: true,
});
const search = (text: (whose: Named) => string) => (whose: Named) => ({ search: text(whose) });

/** The refusal of an id that does not exist or belongs to another account. */
export const notFoundOf = ({ failures = [] }: Route) =>
  (['not_found', 'otp_not_found'] as const).find((reason) => failures.includes(reason));

const BOBS_SSO = {
  issuer: 'https://id.example.com',
  client_id: 'of Bob',
  client_secret: 'a secret of Bob',
  domain: 'bobs-own.example.com',
  default_role: 'viewer',
};

/** One case for each route; a route without a case fails. */
export const casesOf = (bob: Owner): Record<string, Case> => ({
  sendOtp: { own: { body: { channel: 'email', recipient: 'bobs-own@example.com' } } },
  verifyOtp: {
    names: ({ open_otp_id, code }) => ({ body: { otp_id: open_otp_id, code } }),
  },
  getOtp: { names: ({ open_otp_id }) => ({ params: { otp_id: open_otp_id } }), byPath: true },
  cancelOtp: { names: ({ open_otp_id }) => ({ params: { otp_id: open_otp_id } }), byPath: true },
  reportOutcome: {
    names: ({ own_code_otp_id }) => ({ params: { otp_id: own_code_otp_id }, body: { verified: true } }),
    byPath: true,
  },
  resendOtp: { names: ({ open_otp_id }) => ({ params: { otp_id: open_otp_id }, body: {} }), byPath: true },
  listLimits: { own: {} },
  createLimit: { own: { body: { name: 'bobs-own', max_sends: 1, period_seconds: 60 } } },
  updateLimit: byId(({ limit_id }) => limit_id, { body: { max_sends: 1_000 } }),
  deleteLimit: byId(({ limit_id }) => limit_id),
  listConnections: { own: {} },
  createConnection: { own: { body: { system: 'logto', name: 'Bob’s own' } } },
  updateConnection: byId(({ connection_id }) => connection_id, { body: { name: 'Taken over' } }),
  rotateConnection: byId(({ connection_id }) => connection_id, { body: { valid_hours: 0 } }),
  testConnection: byId(({ connection_id }) => connection_id, { body: { recipient: 'x@example.com' } }),
  deleteConnection: byId(({ connection_id }) => connection_id),
  listVerifications: {
    lists: [
      ({ api_key_id }) => ({ api_key: api_key_id }),
      search(({ recipient }) => recipient),
      search(() => 'Key of Alice'),
    ],
  },
  exportVerifications: { own: {} },
  getVerification: byId(({ verified_otp_id }) => verified_otp_id),
  listVerificationWebhooks: byId(({ verified_otp_id }) => verified_otp_id),
  cancelVerification: byId(({ open_otp_id }) => open_otp_id),
  sendVerificationAgain: byId(({ open_otp_id }) => open_otp_id),

  signIn: 'anyone may call it',
  signUp: 'anyone may call it',
  verifyTwoFactor: 'anyone may call it',
  resendTwoFactor: 'anyone may call it',
  signOut: 'anyone may call it',
  refreshTokens: 'anyone may call it',
  forgotPassword: 'anyone may call it',
  resetPassword: 'anyone may call it',
  resetPasswordByLink: 'anyone may call it',
  checkResetLink: 'anyone may call it',
  changePassword: {
    own: { body: { current_password: 'wrong', password: 'wrong too', confirm_password: 'wrong too' } },
  },
  listSessions: { own: {} },
  endAllSessions: { own: { body: { keep_current: true } } },
  endSession: byId(({ session_id }) => session_id),
  startPasskeySignIn: 'anyone may call it',
  signInWithPasskey: 'anyone may call it',
  startPasskeyStep: 'anyone may call it',
  verifyPasskey: 'anyone may call it',
  startPasskeyStepUp: { own: {} },
  stepUpWithPasskey: { own: { body: { credential: {} } } },
  startPasskey: { own: {} },
  addPasskey: { own: { body: { name: 'Key', credential: {} } } },
  renamePasskey: byId(({ passkey_id }) => passkey_id, { body: { name: 'Taken over' } }),
  removePasskey: byId(({ passkey_id }) => passkey_id),
  verifyRecoveryCode: 'anyone may call it',
  sendSignInCode: 'anyone may call it',
  getSecondFactors: { own: {} },
  startAuthenticator: { own: {} },
  confirmAuthenticator: { own: { body: { code: '123456' } } },
  removeAuthenticator: { own: {} },
  createRecoveryCodes: { own: {} },
  getStepUp: { own: {} },
  sendStepUpCode: { own: {} },
  stepUp: { names: ({ session_token, code }) => ({ body: { session_token, code } }), refused: 400 },
  getMe: { own: {} },
  listAccounts: { own: {} },
  createAccount: { own: { body: { name: 'Bob’s second' } } },
  renameAccount: { own: { body: { name: 'Bob’s own' } } },
  transferCredits: {
    names: ({ account_id }) => ({ body: { to_account_id: account_id, credits: 1 } }),
    refused: 400,
  },
  deleteMe: { own: { body: { password: 'wrong' } } },
  getProfile: { own: {} },
  updateProfile: { own: { body: { first_name: 'Bob' } } },
  getTwoFactor: { own: {} },
  updateTwoFactor: {
    names: ({ session_token, code }) => ({
      body: {
        two_factor_enabled: true,
        two_factor_method: 'sms',
        phone_number: '+14155550190',
        current_password: bob.password,
        session_token,
        code,
      },
    }),
    refused: 400,
  },
  listMembers: { own: {} },
  changeRole: {
    names: ({ account_id }) => ({ params: { person_id: account_id }, body: { role: 'viewer' } }),
    byPath: true,
  },
  removeMember: { names: ({ account_id }) => ({ params: { person_id: account_id } }), byPath: true },
  leaveAccount: { own: {} },
  updateNotices: { own: { body: { service_notices: true } } },
  listInvitations: { own: {} },
  createInvitation: { own: { body: { email: 'bobs-own@example.com', role: 'viewer' } } },
  resendInvitation: byId(({ invitation_id }) => invitation_id),
  revokeInvitation: byId(({ invitation_id }) => invitation_id),
  showInvitation: 'anyone may call it',
  acceptInvitation: { names: ({ invitation_token }) => ({ body: { token: invitation_token } }) },
  deleteProfile: { own: { body: { password: 'wrong' } } },
  startSso: 'anyone may call it',
  startSsoByIssuer: 'anyone may call it',
  finishSso: 'anyone may call it',
  getSso: { own: {} },
  updateSso: { own: { body: BOBS_SSO } },
  startSsoTest: { own: { body: BOBS_SSO } },
  finishSsoTest: {
    names: ({ account_id }) => ({ body: { account_id, state: 'test.of nobody' } }),
    refused: 400,
  },
  checkSso: { own: {} },
  removeSso: { own: {} },
  startSsoStepUp: { own: {} },
  linkSso: { own: { body: { link_token: 'l'.repeat(43) } } },
  getBranding: { own: {} },
  updateBranding: { own: { body: {} } },
  updateLowBalance: { own: { body: { low_balance_threshold: 20 } } },
  previewBranding: { own: { body: {} } },
  getPlans: { own: {} },
  updatePlans: { own: { body: { default: { channels: ['sms'] } } } },

  listMessageDomains: { own: {} },
  addMessageDomain: { own: { body: { domain: 'bobs-own.example.com' } } },
  verifyMessageDomain: byId(({ message_domain_id }) => message_domain_id),
  removeMessageDomain: byId(({ message_domain_id }) => message_domain_id),
  listAuditEntries: { lists: [search(() => 'Key of Alice')] },
  exportAuditEntries: { own: {} },

  getKeyRules: { own: {} },
  updateKeyRules: { own: { body: { live_keys_need_admin: false } } },
  listApiKeys: { lists: [search(() => 'Key of Alice')] },
  createApiKey: { own: { body: { name: 'Another of Bob' } } },
  updateApiKey: byId(({ api_key_id }) => api_key_id, { body: { name: 'Taken over' } }),
  rotateApiKey: byId(({ api_key_id }) => api_key_id, { body: { valid_days: 0 } }),
  deleteApiKey: byId(({ api_key_id }) => api_key_id),
  listRequestLogs: {
    lists: [({ api_key_id }) => ({ api_key: api_key_id }), search(({ recipient }) => recipient)],
  },
  exportRequestLogs: { own: {} },

  sendTestCode: {
    names: ({ api_key_id }) => ({
      body: { api_key: api_key_id, channel: 'email', recipient: 'somebody@example.com' },
    }),
  },
  verifyTestCode: {
    names: ({ api_key_id, open_otp_id, code }) => ({
      body: { api_key: api_key_id, otp_id: open_otp_id, code },
    }),
  },
  // Tested separately, because a stream has no end.
  openLive: { own: {} },
  followEvents: { own: {} },

  getInsights: { own: { query: { range: '24h' } } },
  getVerificationFigures: { own: { query: { range: '24h' } } },
  getFallback: { own: { query: { range: '24h' } } },

  getProtection: { own: {} },
  updateProtection: { own: { body: { deny: [{ kind: 'country', value: 'CA' }] } } },
  listBlocks: { own: {} },
  listDecisions: { lists: [({ api_key_id }) => ({ api_key: api_key_id })] },
  exportDecisions: { own: {} },
  getDecisionFigures: { own: {} },
  getKnownRecipients: { own: {} },
  importKnownRecipients: { own: { body: { recipients: [{ recipient: '+14155550177' }] } } },
  removeKnownRecipient: { own: { body: { recipient: '+14155550177' } } },
  deleteKnownRecipients: { own: {} },
  allowDestination: { own: { body: { kind: 'prefix', value: '+1415555' } } },
  denyDestination: { own: { body: { kind: 'number', value: '+14155550177' } } },
  removeListEntry: { own: { body: { list: 'deny', kind: 'number', value: '+14155550177' } } },
  checkOwnDestination: { own: { body: { recipient: '+14155550100' } } },
  backTestRule: { own: { body: { rule: 'prefix_velocity' } } },
  createChallenge: { own: { body: { recipient: '+14155550100' } } },
  playWorstDay: { own: { body: { seed: 7 } } },
  checkDestination: { own: { body: { recipient: '+14155550100' } } },
  unblockDestination: 'anyone may call it',

  getSpend: { own: {} },
  updateSpend: { own: { body: { daily_credit_limit: null, monthly_credit_limit: 1_000 } } },
  listTestMessages: { own: { query: { page_size: 100 } } },

  listSuppressions: { lists: [search(() => 'gone@alice.example')] },
  exportSuppressions: { own: {} },
  createSuppression: { own: { body: { recipient: 'gone@bob.example' } } },
  deleteSuppression: byId(({ suppression_id }) => suppression_id),
  listTemplates: { lists: [] },
  createTemplate: { own: { body: TEMPLATE } },
  previewTemplate: { own: { body: TEMPLATE.texts[0] } },
  updateTemplate: byId(({ template_id }) => template_id, { body: TEMPLATE }),
  deleteTemplate: byId(({ template_id }) => template_id),
  listWebhooks: { lists: [search(() => 'Hook of Alice')] },
  createWebhook: { own: { body: HOOK } },
  updateWebhook: byId(({ webhook_id }) => webhook_id, { body: HOOK }),
  deleteWebhook: byId(({ webhook_id }) => webhook_id),
  testWebhook: byId(({ webhook_id }) => webhook_id),
  listWebhookAttempts: byId(({ webhook_id }) => webhook_id),
  listWebhookMessages: byId(({ webhook_id }) => webhook_id),
  getWebhookAttempt: {
    names: ({ webhook_id, attempt_id }) => ({ params: { id: webhook_id, attempt_id } }),
    byPath: true,
  },
  replayFailedWebhooks: byId(({ webhook_id }) => webhook_id, { body: { since: '2026-01-01T00:00:00Z' } }),
  getWebhookQueue: byId(({ webhook_id }) => webhook_id),
  exportWebhookAttempts: byId(({ webhook_id }) => webhook_id),
  replayWebhookMessage: {
    names: ({ webhook_id, message_id }) => ({ params: { id: webhook_id, message_id } }),
    byPath: true,
  },
  rotateWebhookSecret: byId(({ webhook_id }) => webhook_id),

  listPackages: { own: {} },
  getPrices: { own: {} },
  listPaymentMethods: { own: {} },
  deletePaymentMethod: byId(({ payment_method_id }) => payment_method_id),
  calculatePrice: { own: { body: { credits: 100 } } },
  createIntent: { own: { body: PRICE } },
  createWithSaved: { names: ({ payment_method_id }) => ({ body: { ...PRICE, payment_method_id } }) },
  confirmPayment: { names: ({ payment_intent_id }) => ({ body: { payment_intent_id } }) },
  listTransactions: { lists: [search(({ purchase_id }) => purchase_id)] },
  getAutoPurchase: { own: {} },
  updateAutoPurchase: { own: { body: {} } },
  getRecipient: { own: { query: { recipient: '+14155550100' } } },
  getUnverifiedCosts: { own: {} },
  exportTransactions: { own: {} },
  getReceipt: byId(({ purchase_id }) => purchase_id),
  confirmSandboxPayment: {
    names: ({ client_secret }) => ({ body: { client_secret, card: TEST_CARD } }),
  },
});
