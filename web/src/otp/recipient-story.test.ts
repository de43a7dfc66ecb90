import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { RecipientEvent, RecipientVerification } from '@sixdigit/contract/recipients.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { storyOf } from './recipient-story.ts';
import { isBeginningOf, isRecipient } from './whole-recipient.ts';

const ID = '0199c0de-0000-7000-8000-000000000001';
const AT = '2026-01-02T03:04:05.000Z';
const NOW = Date.parse('2026-01-02T03:05:00.000Z');

const sent = (changes: Partial<RecipientVerification> = {}): RecipientEvent => ({
  id: ID,
  created_at: AT,
  refusal: null,
  verification: {
    id: ID,
    recipient: '+14155552671',
    channel: 'sms',
    status: 'sent',
    cost_credits: 1,
    segments: 1,
    country: 'US',
    carrier: 'twilio',
    created_at: AT,
    api_key: { id: ID, name: 'Shop' },
    test: false,
    own_code: false,
    resend_of: null,
    language: 'en',
    outcome: null,
    expires_at: '2026-01-02T03:09:05.000Z',
    sent_at: '2026-01-02T03:04:06.000Z',
    delivered_at: null,
    verified_at: null,
    failure: null,
    closed_by: null,
    ...changes,
  },
});
const refused = (changes: Partial<RequestLog> = {}): RecipientEvent => ({
  id: ID,
  created_at: AT,
  verification: null,
  refusal: {
    id: ID,
    created_at: AT,
    request_type: 'send_otp',
    otp: { id: null, channel: 'sms', recipient: '+14155552671', status: null },
    api_key: { id: ID, name: 'Shop' },
    test: false,
    response_status_code: 402,
    response_time_ms: 3,
    credits_used: 0,
    refunded: false,
    endpoint: '/api/v1/otp/send/',
    method: 'POST',
    ip_address: null,
    request_id: ID,
    reason: 'insufficient_credits',
    refused_fields: null,
    blocked_by: null,
    count: 1,
    ...changes,
  },
});

test('a refused send is explained with its reason, what to do, and an answer that does not mention credits', () => {
  const story = storyOf([refused(), sent()], NOW);
  expect(story?.what).toMatch(/^The last code \(SMS, .*\) was not sent: Insufficient credits\.$/);
  expect(story?.next).toBe('Send again when the account has credits.');
  expect(story?.answer).toMatch(/^We could not send your code at .* because of a problem on our side\./);
  expect(story?.answer).not.toContain('credit');
});

test('a refused field is explained by its own sentence, and only a refused request is to be corrected', () => {
  const reason = 'invalid_fields';
  const country = 'Phone numbers of this country are not allowed on this service.';
  const off = storyOf(
    [refused({ reason, refused_fields: [{ field: 'recipient', message: country, value: null }] })],
    NOW,
  );
  expect(off?.what).toContain(country);
  expect(off?.next).toBe('');
  expect(off?.answer).toContain('Please check your number or email address');
  const tooLong = storyOf(
    [refused({ reason, refused_fields: [{ field: 'message', message: 'It is too long', value: null }] })],
    NOW,
  );
  expect(tooLong?.what).toMatch(/It is too long\.$/);
  expect(tooLong?.next).toBe('Correct the request, then send again.');
  expect(tooLong?.answer).toContain('because of a problem on our side');
});

test.each(sendOtp.failures)('a send refused with %s has advice and an answer', (reason) => {
  const story = storyOf([refused({ reason })], NOW);
  expect(story?.next).not.toContain('Open the request');
  expect(story?.answer).toMatch(/^[A-Z].*\.$/);
});

test('wrong codes belong to the send before them', () => {
  const wrong = refused({ request_type: 'verify_otp', reason: 'invalid_code', response_status_code: 400 });
  expect(storyOf([wrong, sent()], NOW)?.what).toMatch(
    /^The last code \(SMS\) was requested on .*\. .* Waiting for the code\.$/,
  );
  expect(storyOf([wrong], NOW)).toBeUndefined();
});

test('every state of a verification has an answer for the end user', () => {
  const answers = [
    sent({ status: 'pending', sent_at: null }),
    sent(),
    sent({ status: 'expired', expires_at: AT }),
    sent({ status: 'expired', expires_at: AT, delivered_at: AT }),
    sent({ status: 'failed', failure: 'No such number' }),
    sent({ status: 'failed', closed_by: 'attempts' }),
    sent({ status: 'expired', closed_by: 'canceled' }),
    sent({ status: 'expired', closed_by: 'superseded' }),
    sent({ status: 'verified', verified_at: AT }),
  ].map((event) => storyOf([event], NOW)?.answer ?? '');
  for (const answer of answers) expect(answer).toMatch(/^[A-Z].*\.$/);
  // canceled, expired and superseded codes are told apart
  expect(new Set(answers).size).toBe(8);
});

test('only whole phone numbers and e-mail addresses have a history to open', () => {
  for (const text of ['+1 (415) 555-2671', '0049 151 23456789', 'Ann@Example.com'])
    expect(isRecipient(text), text).toBe(true);
  for (const text of ['', '555', '+1 415 555 0', 'ann@', 'example', '2026-01', ID])
    expect(isRecipient(text), text).toBe(false);
});

test('a found recipient shows that a typed one is incomplete', () => {
  expect(isBeginningOf('+44 7700 900', '+447700900123')).toBe(true);
  expect(isBeginningOf('Ann@example.co', 'ann@example.com')).toBe(true);
  for (const text of ['+44 7700 900123', '7700 900123'])
    expect(isBeginningOf(text, '+447700900123')).toBe(false);
});
