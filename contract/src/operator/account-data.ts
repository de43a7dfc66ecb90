import { z } from 'zod';
import { Branding } from '../accounts/branding.ts';
import { AuditEntry, listAuditEntries } from '../audit.ts';
import { idParam } from '../field.ts';
import { getInsights, Insights } from '../insights.ts';
import { listOf } from '../list.ts';
import { MESSAGE_LINKS, MessageDomain } from '../message-links.ts';
import { SEND_FAILURES, SendReply } from '../otp.ts';
import { PaymentMethod } from '../payments.ts';
import { listBlocks, Protection } from '../protection/protection.ts';
import { listRequestLogs, RequestLog } from '../request-logs.ts';
import { SecondFactors } from '../second-factors/second-factors.ts';
import { Spend } from '../spend.ts';
import { listTestMessages, TestMessage } from '../test-mode.ts';
import {
  getWebhookAttempt,
  listVerificationWebhooks,
  listWebhookAttempts,
  replayWebhookMessage,
  WebhookAttempt,
} from '../webhooks.ts';
import { reason, supportRoute } from './operator.ts';

/** The owner's lists of an account, for operators: recipients and texts are masked until an operator reveals one. */
const account = '/operator/accounts/:id/';
const MASKED_SEARCH =
  'The search and the filters are those of the owner, but a recipient is found only by the whole number or address.';

export const listAccountRequests = supportRoute('accounts:read', {
  name: 'listAccountRequests',
  method: 'GET',
  path: `${account}requests/`,
  summary: 'Requests with the API keys of an account, with masked recipients',
  description: MASKED_SEARCH,
  params: idParam,
  query: listRequestLogs.query,
  status: 200,
  reply: listRequestLogs.reply,
});
export const revealRequest = supportRoute('accounts:reveal', {
  name: 'revealRequest',
  method: 'POST',
  path: `${account}requests/:request_id/reveal/`,
  summary: 'Reveal the recipient of a request; the audit records it',
  params: z.object({ id: z.string(), request_id: z.string() }),
  body: z.object({ reason }),
  status: 200,
  reply: RequestLog,
});

export const OperatorAttempt = WebhookAttempt.extend({
  response_excerpt: z.null().meta({ description: 'Hidden until it is revealed' }),
  has_response: z.boolean().meta({ description: 'Whether the endpoint answered with a text' }),
});
export type OperatorAttempt = z.infer<typeof OperatorAttempt>;
export const listAccountAttempts = supportRoute('accounts:read', {
  name: 'listAccountAttempts',
  method: 'GET',
  path: `${account}webhooks/:webhook_id/attempts/`,
  summary: 'Delivery attempts to an endpoint of an account in the last 30 days',
  params: z.object({ id: z.string(), webhook_id: z.string() }),
  query: listWebhookAttempts.query,
  status: 200,
  reply: listOf(OperatorAttempt),
});
export const revealAttempt = supportRoute('accounts:reveal', {
  name: 'revealAttempt',
  method: 'POST',
  path: `${account}webhooks/:webhook_id/attempts/:attempt_id/reveal/`,
  summary: 'Reveal what an attempt sent and what the endpoint answered; the audit records it',
  params: z.object({ id: z.string(), webhook_id: z.string(), attempt_id: z.string() }),
  body: z.object({ reason }),
  status: 200,
  reply: getWebhookAttempt.reply.extend({ response_excerpt: z.string().nullable() }),
});

export const resendWebhookMessage = supportRoute('accounts:resend', {
  name: 'resendWebhookMessage',
  method: 'POST',
  path: `${account}webhooks/:webhook_id/messages/:message_id/resend/`,
  summary: 'Deliver a webhook message of an account again with the same id',
  description: 'The owner sees it in the activity and the attempt in the list of attempts.',
  params: z.object({ id: z.string(), webhook_id: z.string(), message_id: z.string() }),
  body: z.object({ reason }),
  status: 200,
  reply: replayWebhookMessage.reply,
  failures: ['too_many_requests'],
});

export const listAccountVerificationWebhooks = supportRoute('accounts:read', {
  name: 'listAccountVerificationWebhooks',
  method: 'GET',
  path: `${account}verifications/:otp_id/webhooks/`,
  summary: 'Webhook messages about one verification of an account',
  description: listVerificationWebhooks.description,
  params: z.object({ id: z.string(), otp_id: z.string() }),
  status: 200,
  reply: listVerificationWebhooks.reply,
});
export const resendVerification = supportRoute('accounts:resend', {
  name: 'resendVerification',
  method: 'POST',
  path: `${account}verifications/:otp_id/resend/`,
  summary: 'Send the code of a pending or sent verification again',
  description:
    'A send with the same key, channel, recipient and text, as the customer would repeat it: by the same rules and limits and at the same price. It creates a verification of its own. The code of the newest message verifies both. The audit and the activity of the owner have it, also if it is refused.',
  params: z.object({ id: z.string(), otp_id: z.string() }),
  body: z.object({ reason }),
  status: 201,
  reply: SendReply.omit({ recipient: true }).extend({
    recipient: z.string().meta({ description: 'Masked' }),
  }),
  failures: [
    'otp_already_verified',
    'otp_closed',
    'otp_expired',
    'account_suspended',
    'api_key_unusable',
    ...SEND_FAILURES,
  ],
});

export const getAccountInsights = supportRoute('accounts:read', {
  name: 'getAccountInsights',
  method: 'GET',
  path: `${account}insights/`,
  summary: 'Insights of an account, as its owner sees them',
  description: getInsights.description,
  params: idParam,
  query: getInsights.query,
  status: 200,
  reply: Insights,
});

export const OperatorTestMessage = TestMessage.pick({
  id: true,
  channel: true,
  status: true,
  created_at: true,
}).extend({ recipient: z.string().meta({ description: 'Masked until it is revealed' }) });
export type OperatorTestMessage = z.infer<typeof OperatorTestMessage>;
export const listAccountTestMessages = supportRoute('accounts:read', {
  name: 'listAccountTestMessages',
  method: 'GET',
  path: `${account}test-inbox/`,
  summary: 'Test inbox of an account, with masked recipients and without texts',
  description: MASKED_SEARCH,
  params: idParam,
  query: listTestMessages.query,
  status: 200,
  reply: listOf(OperatorTestMessage),
});
export const revealTestMessage = supportRoute('accounts:reveal', {
  name: 'revealTestMessage',
  method: 'POST',
  path: `${account}test-inbox/:otp_id/reveal/`,
  summary: 'Reveal the recipient and the text of a message in the test inbox; the audit records it',
  params: z.object({ id: z.string(), otp_id: z.string() }),
  body: z.object({ reason }),
  status: 200,
  reply: TestMessage,
});

/** What the owner has set. */
export const OperatorAccountSettings = z.object({
  otp: Branding,
  spend: Spend,
  protection: Protection.pick({ rules: true, allow: true, deny: true, learning: true }).meta({
    description: 'Numbers in the lists are masked',
  }),
  message_domains: z.array(MessageDomain).meta({ description: 'With the DNS records that prove them' }),
  message_links: z.enum(MESSAGE_LINKS).meta({ description: 'any: messages may contain every link' }),
  second_factors: SecondFactors,
  cards: z.array(PaymentMethod).nullable().meta({
    description: 'null if the card provider does not answer',
  }),
});
export type OperatorAccountSettings = z.infer<typeof OperatorAccountSettings>;
export const getAccountSettings = supportRoute('accounts:read', {
  name: 'getAccountSettings',
  method: 'GET',
  path: `${account}settings/`,
  summary: 'What the owner of an account has set',
  params: idParam,
  status: 200,
  reply: OperatorAccountSettings,
});

export const listAccountBlocks = supportRoute('accounts:read', {
  name: 'listAccountBlocks',
  method: 'GET',
  path: `${account}blocks/`,
  summary: 'What was blocked for an account in the last 24 hours',
  params: idParam,
  status: 200,
  reply: listBlocks.reply,
});

export const listAccountActivity = supportRoute('accounts:read', {
  name: 'listAccountActivity',
  method: 'GET',
  path: `${account}activity/`,
  summary: 'Audit log of an account, with masked numbers and addresses',
  params: idParam,
  query: listAuditEntries.query,
  status: 200,
  reply: listOf(AuditEntry),
});
export const revealActivity = supportRoute('accounts:reveal', {
  name: 'revealActivity',
  method: 'POST',
  path: `${account}activity/:entry_id/reveal/`,
  summary: 'Reveal the values of an entry; the audit records it',
  params: z.object({ id: z.string(), entry_id: z.string() }),
  body: z.object({ reason }),
  status: 200,
  reply: AuditEntry,
});
