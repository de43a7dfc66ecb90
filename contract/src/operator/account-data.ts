/** The owner's lists of an account, for operators: recipients and texts are masked until an operator reveals one. */

import { z } from 'zod';
import { Branding } from '../accounts/branding.ts';
import { AuditEntry, listAuditEntries } from '../audit.ts';
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
  listWebhookMessages,
  replayWebhookMessage,
  WebhookAttempt,
  WebhookDelivery,
} from '../webhooks.ts';
import { accountRoute, reason, revealRoute, supportRoute } from './operator.ts';

const MASKED_SEARCH =
  'Search and filters work as for the owner, except that a recipient is found only by the full number or address.';

export const listAccountRequests = accountRoute('requests/', {
  name: 'listAccountRequests',
  summary: 'Requests with the API keys of an account, with masked recipients',
  description: MASKED_SEARCH,
  query: listRequestLogs.query,
  reply: listRequestLogs.reply,
});
export const revealRequest = revealRoute('requests/:request_id/', {
  name: 'revealRequest',
  summary: 'Reveal the recipient of a request; the audit log records it',
  reply: RequestLog,
});

export const OperatorAttempt = WebhookAttempt.extend({
  response_excerpt: z.null().meta({ description: 'Hidden until it is revealed' }),
  has_response: z.boolean().meta({ description: 'Whether the endpoint responded with a body' }),
});
export type OperatorAttempt = z.infer<typeof OperatorAttempt>;
export const listAccountAttempts = accountRoute('webhooks/:webhook_id/attempts/', {
  name: 'listAccountAttempts',
  summary: 'Delivery attempts to an endpoint of an account in the last 30 days',
  query: listWebhookAttempts.query,
  reply: listOf(OperatorAttempt),
});
export const listAccountMessages = accountRoute('webhooks/:webhook_id/messages/', {
  name: 'listAccountMessages',
  summary: 'Webhook messages to an endpoint of an account in the last 30 days, with their delivery attempts',
  description: MASKED_SEARCH,
  query: listWebhookMessages.query,
  reply: listOf(WebhookDelivery),
});
export const revealAttempt = revealRoute('webhooks/:webhook_id/attempts/:attempt_id/', {
  name: 'revealAttempt',
  summary: 'Reveal the request and the response of an attempt; the audit log records it',
  reply: getWebhookAttempt.reply,
});

export const resendWebhookMessage = supportRoute(
  'accounts:resend',
  'POST /operator/accounts/:id/webhooks/:webhook_id/messages/:message_id/resend/',
  {
    name: 'resendWebhookMessage',
    summary: 'Deliver a webhook message of an account again with the same id',
    description: 'The owner sees the resend in the activity, and the attempt in the list of attempts.',
    body: z.object({ reason }),
    reply: replayWebhookMessage.reply,
    failures: ['too_many_requests'],
  },
);

export const listAccountVerificationWebhooks = accountRoute('verifications/:otp_id/webhooks/', {
  name: 'listAccountVerificationWebhooks',
  summary: 'Webhook messages about one verification of an account',
  description: listVerificationWebhooks.description,
  reply: listVerificationWebhooks.reply,
});
export const resendVerification = supportRoute(
  'accounts:resend',
  'POST /operator/accounts/:id/verifications/:otp_id/resend/',
  {
    name: 'resendVerification',
    summary: 'Send the code of a pending or sent verification again',
    description:
      'Sends with the same key, channel, recipient and text, as if the customer repeated the send: under the same rules and limits and at the same price. It creates a new verification. The code of the newest message verifies both. The audit log and the activity of the owner record it, even if it is refused.',
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
  },
);

export const getAccountInsights = accountRoute('insights/', {
  name: 'getAccountInsights',
  summary: 'Insights of an account, as its owner sees them',
  description: getInsights.description,
  query: getInsights.query,
  reply: Insights,
});

export const OperatorTestMessage = TestMessage.pick({
  id: true,
  channel: true,
  status: true,
  created_at: true,
}).extend({ recipient: z.string().meta({ description: 'Masked until it is revealed' }) });
export type OperatorTestMessage = z.infer<typeof OperatorTestMessage>;
export const listAccountTestMessages = accountRoute('test-inbox/', {
  name: 'listAccountTestMessages',
  summary: 'Test inbox of an account, with masked recipients and without texts',
  description: MASKED_SEARCH,
  query: listTestMessages.query,
  reply: listOf(OperatorTestMessage),
});
export const revealTestMessage = revealRoute('test-inbox/:otp_id/', {
  name: 'revealTestMessage',
  summary: 'Reveal the recipient and the text of a message in the test inbox; the audit log records it',
  reply: TestMessage,
});

/** The owner's settings. */
export const OperatorAccountSettings = z.object({
  otp: Branding,
  spend: Spend,
  protection: Protection.pick({ rules: true, allow: true, deny: true, learning: true }).meta({
    description: 'Numbers in the lists are masked',
  }),
  message_domains: z
    .array(MessageDomain)
    .meta({ description: 'Domains with the DNS records that prove ownership' }),
  message_links: z.enum(MESSAGE_LINKS).meta({ description: 'any: messages may contain every link' }),
  second_factors: SecondFactors,
  cards: z.array(PaymentMethod).nullable().meta({
    description: 'null if the card provider does not respond',
  }),
});
export type OperatorAccountSettings = z.infer<typeof OperatorAccountSettings>;
export const getAccountSettings = accountRoute('settings/', {
  name: 'getAccountSettings',
  summary: 'Settings of an account, as its owner chose them',
  reply: OperatorAccountSettings,
});

export const listAccountBlocks = accountRoute('blocks/', {
  name: 'listAccountBlocks',
  summary: 'Blocks of an account in the last 24 hours',
  reply: listBlocks.reply,
});

export const listAccountActivity = accountRoute('activity/', {
  name: 'listAccountActivity',
  summary: 'Audit log of an account, with masked numbers and addresses',
  query: listAuditEntries.query,
  reply: listOf(AuditEntry),
});
export const revealActivity = revealRoute('activity/:entry_id/', {
  name: 'revealActivity',
  summary: 'Reveal the values of an entry; the audit log records it',
  reply: AuditEntry,
});
