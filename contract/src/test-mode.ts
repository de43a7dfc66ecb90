import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import { id, time } from './field.ts';
import { listOf, listQuery } from './list.ts';
import { route } from './route.ts';
import { STATUSES } from './verifications.ts';
import { recipientText } from './viewer-texts.ts';

/** The code of every test verification, cut to the length of the account's codes. */
export const TEST_CODE = '1234567890';
/** Test sends per account and UTC day. */
export const TEST_SENDS_PER_DAY = 10_000;
/** The e-mail domain of test recipients. It is reserved and never receives mail. */
export const TEST_DOMAIN = 'sixdigit.test';
/** How many days the test inbox shows a message. */
export const TEST_INBOX_DAYS = 7;

/** The outcome of a test send to each of these recipients. Every other recipient gets its message, as `delivered`. */
export const TEST_RECIPIENTS = [
  {
    outcome: 'delivered',
    phone: '+15005550001',
    local: 'delivered',
    result: 'sent, then delivered a second later',
  },
  {
    outcome: 'undelivered',
    phone: '+15005550002',
    local: 'bounced',
    result: 'sent, then failed: not delivered',
  },
  { outcome: 'refused', phone: '+15005550003', local: 'refused', result: 'failed: the carrier refuses it' },
  {
    outcome: 'pending',
    phone: '+15005550004',
    local: 'pending',
    result: 'pending until it fails at its expiry',
  },
  { outcome: 'slow', phone: '+15005550005', local: 'slow', result: 'sent, then delivered 30 seconds later' },
  {
    outcome: 'recipient_opted_out',
    phone: '+15005550006',
    local: 'opted-out',
    result: '400 recipient_opted_out',
  },
  {
    outcome: 'destination_blocked',
    phone: '+15005550007',
    local: 'blocked',
    result: '400 destination_blocked',
  },
  {
    outcome: 'recipient_rate_limited',
    phone: '+15005550008',
    local: 'limited',
    result: '429 recipient_rate_limited',
  },
  {
    outcome: 'insufficient_credits',
    phone: '+15005550009',
    local: 'no-credits',
    result: '402 insufficient_credits',
  },
  {
    outcome: 'spend_limit_reached',
    phone: '+15005550010',
    local: 'spend-limit',
    result: '402 spend_limit_reached',
  },
  {
    outcome: 'unreachable',
    phone: '+15005550011',
    local: 'unreachable',
    result: 'not reached by WhatsApp and Telegram, delivered by other channels',
  },
  {
    outcome: 'late_bounce',
    phone: '+15005550012',
    local: 'late-bounce',
    result: 'sent, then failed 90 seconds later: not delivered',
  },
] as const;
export type TestOutcome = (typeof TEST_RECIPIENTS)[number]['outcome'];

export const TestMessage = z.object({
  id: id.meta({ description: 'The otp_id' }),
  channel: z.enum(CHANNELS),
  recipient: recipientText,
  subject: z.string().nullable(),
  text: z.string(),
  html: z.string().nullable(),
  code: z.string(),
  status: z.enum(STATUSES),
  created_at: time,
});
export type TestMessage = z.infer<typeof TestMessage>;

export const listTestMessages = route('GET /test-inbox/', {
  name: 'listTestMessages',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'Test inbox: messages of test verifications from the last seven days',
  query: listQuery(['created_at'], '-created_at'),
  reply: listOf(TestMessage),
});
