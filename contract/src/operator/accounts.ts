import { z } from 'zod';
import { Session } from '../accounts/sessions.ts';
import { ApiKey } from '../api-keys.ts';
import { CHANNELS } from '../channels.ts';
import { credits, id, optionalTime, time } from '../field.ts';
import { countedListOf, listOf, listQuery } from '../list.ts';
import { listTransactions, PaymentTransaction } from '../payments.ts';
import { ROLES } from '../roles.ts';
import { listVerifications, Verification, VerificationDetail } from '../verifications.ts';
import { Webhook } from '../webhooks.ts';
import { accountRoute, adminRoute, reason, revealRoute, supportRoute } from './operator.ts';

export const ACCOUNT_STATES = ['active', 'suspended', 'deleted'] as const;

export const OperatorAccount = z.object({
  id,
  email: z.string().nullable().meta({ description: 'null if the account was deleted' }),
  username: z.string().nullable(),
  name: z.string().meta({ description: 'Of the account; empty if it has none' }),
  first_name: z.string(),
  last_name: z.string(),
  state: z.enum(ACCOUNT_STATES),
  suspended_reason: z.string(),
  credits,
  debt: credits,
  sends_30_days: z.number().int().meta({ description: 'Excluding sends with test keys' }),
  verified_30_days: z.number().int(),
  blocked_24_hours: z.number().int().meta({ description: 'Sends blocked by destination rules' }),
  last_activity_at: optionalTime,
  created_at: time,
});
export type OperatorAccount = z.infer<typeof OperatorAccount>;

export const OperatorMember = z.object({
  person_id: id,
  email: z.string(),
  role: z.enum(ROLES),
  joined_at: time,
  last_seen_at: optionalTime,
});
export type OperatorMember = z.infer<typeof OperatorMember>;

export const OperatorAccountDetail = OperatorAccount.extend({
  phone_number: z.string().meta({ description: 'Masked' }),
  phone_verified_at: optionalTime,
  two_factor_enabled: z.boolean(),
  suspended_at: optionalTime,
  auto_purchase_enabled: z.boolean(),
  purchases: z.number().int(),
  purchased_cents: z.number().int().meta({ description: 'Paid purchases minus refunds, in US cents' }),
  api_keys: z.array(ApiKey).meta({ description: 'The newest 100' }),
  connections: z
    .array(z.object({ id, name: z.string() }))
    .meta({ description: 'The keys of its connections, which lists can be filtered by' }),
  webhooks: z.array(Webhook).meta({ description: 'The newest 100' }),
  sessions: z.array(Session).meta({ description: 'Of the person whose address the account has' }),
  members: z.array(OperatorMember).meta({ description: 'In the order in which they joined' }),
});
export type OperatorAccountDetail = z.infer<typeof OperatorAccountDetail>;

export const listOperatorAccounts = supportRoute('accounts:read', 'GET /operator/accounts/', {
  name: 'listOperatorAccounts',
  summary: 'Accounts',
  description:
    'The search matches a part of an email address, a user name or a name; a whole phone number; the id of an account, an API key, a verification or an order; the beginning of an API key; or the id of a payment.',
  query: listQuery(['created_at', 'email', 'credits'], '-created_at').extend({
    state: z
      .enum(['all', ...ACCOUNT_STATES], { error: 'State must be all, active, suspended or deleted.' })
      .default('all'),
  }),
  reply: listOf(OperatorAccount),
});
export const getOperatorAccount = accountRoute('', {
  name: 'getOperatorAccount',
  summary: 'One account',
  reply: OperatorAccountDetail,
});
export const suspendAccount = adminRoute('accounts:write', 'POST /operator/accounts/:id/suspend/', {
  name: 'suspendAccount',
  summary: 'Suspend an account; its API keys are refused within a second',
  description:
    'Public calls get 400 `account_suspended`, and nothing is charged. Messages that are already accepted are still delivered.',
  body: z.object({ reason }),
  reply: OperatorAccountDetail,
});
export const resumeAccount = adminRoute('accounts:write', 'POST /operator/accounts/:id/resume/', {
  name: 'resumeAccount',
  summary: 'Resume a suspended account',
  body: z.object({ reason }),
  reply: OperatorAccountDetail,
});
export const ADJUSTMENT_MOST = 1_000_000;
const ADJUSTMENT_MESSAGE = 'Please enter a whole number of credits other than 0';
export const adjustCredits = adminRoute('accounts:write', 'POST /operator/accounts/:id/adjust-credits/', {
  name: 'adjustCredits',
  summary: 'Add credits, or remove credits from the balance',
  description:
    'The owner gets an email, and Payment History shows the adjustment with its reason. A repeated `id` changes nothing.',
  body: z.object({
    credits: z
      .number({ error: ADJUSTMENT_MESSAGE })
      .int(ADJUSTMENT_MESSAGE)
      .min(-ADJUSTMENT_MOST, 'At most 1,000,000 credits')
      .max(ADJUSTMENT_MOST, 'At most 1,000,000 credits')
      .refine((n) => n !== 0, ADJUSTMENT_MESSAGE),
    reason,
    id: z
      .uuid('Must be a UUID')
      .optional()
      .meta({ description: 'Identifies the adjustment, so that a retry is safe' }),
  }),
  reply: OperatorAccountDetail,
});
export const endAccountSessions = adminRoute('accounts:write', 'POST /operator/accounts/:id/end-sessions/', {
  name: 'endAccountSessions',
  summary: 'End all sessions of the members of an account',
  description: 'It also signs them out of their other accounts.',
  body: z.object({ reason }),
  reply: z.object({ ended: z.number().int() }),
});

export const endMemberSessions = adminRoute(
  'accounts:write',
  'POST /operator/accounts/:id/members/:person_id/end-sessions/',
  {
    name: 'endMemberSessions',
    summary: 'End all sessions of one member of an account',
    description: 'It also signs them out of their other accounts.',
    body: z.object({ reason }),
    reply: z.object({ ended: z.number().int() }),
  },
);
export const makeOwner = adminRoute(null, 'POST /operator/accounts/:id/owner/', {
  name: 'makeOwner',
  summary: 'Make a member an owner, for example if the last owner has lost access',
  description:
    'All members get an email. Requires a session: operator keys cannot make this call. Operators cannot make themselves owners.',
  body: z.object({ person_id: id, reason }),
  reply: OperatorAccountDetail,
});

// ── its data, masked ──

export const OperatorVerification = Verification.extend({
  recipient: z.string().meta({ description: 'Masked until it is revealed' }),
});
export type OperatorVerification = z.infer<typeof OperatorVerification>;
export const listAccountVerifications = accountRoute('verifications/', {
  name: 'listAccountVerifications',
  summary: 'Verifications of an account, with masked recipients',
  query: listVerifications.query,
  reply: countedListOf(OperatorVerification),
});
export const OperatorVerificationDetail = VerificationDetail.omit({ message: true, subject: true }).extend({
  recipient: z.string().meta({ description: 'Masked until it is revealed' }),
  has_text: z.boolean().meta({ description: 'Whether the send had its own text or subject' }),
  carrier_price: z.string().nullable().meta({ description: 'What the carrier charged, as its report says' }),
  carrier_currency: z.string().nullable(),
  network: z.string().nullable().meta({ description: 'The network of the phone, as the report says' }),
  read_at: optionalTime,
});
export type OperatorVerificationDetail = z.infer<typeof OperatorVerificationDetail>;
export const getAccountVerification = accountRoute('verifications/:otp_id/', {
  name: 'getAccountVerification',
  summary: 'One verification of an account with its history, with a masked recipient',
  reply: OperatorVerificationDetail,
});
export const revealVerification = revealRoute('verifications/:otp_id/', {
  name: 'revealVerification',
  summary: 'Reveal the recipient and the text of a verification; the audit log records it',
  reply: z.object({
    id,
    channel: z.enum(CHANNELS),
    recipient: z.string(),
    subject: z.string().nullable(),
    message: z.string().nullable(),
    failure: z.string().nullable(),
    provider_message_id: z.string().nullable(),
  }),
});
export const listAccountTransactions = accountRoute('transactions/', {
  name: 'listAccountTransactions',
  summary: 'Payment history of an account, as its owner sees it',
  query: listTransactions.query,
  reply: listOf(PaymentTransaction),
});
