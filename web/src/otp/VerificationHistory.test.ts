import type { StatusLog } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { markOf, noteText, outcomeOf, statusChange } from './VerificationHistory.tsx';

const log = (
  previous_status: StatusLog['previous_status'],
  new_status: StatusLog['new_status'],
): StatusLog => ({ id: '', previous_status, new_status, changed_at: '', ip_address: null, notes: null });

test.each([
  [log(null, 'pending'), 'Initial status set to Pending'],
  [log('pending', 'sent'), 'Status changed from Pending to Sent'],
  [log('sent', 'sent'), 'Status stays Sent'],
])('a history entry is a sentence about the status: %#', (entry, text) => {
  expect(statusChange(entry)).toBe(text);
});

test('a history note names the carrier as the lists do', () => {
  expect(['Accepted by twilio from Acme', 'Accepted by mine', 'Superseded', null].map(noteText)).toEqual([
    'Accepted by Twilio from Acme',
    'Accepted by mine',
    'Superseded',
    null,
  ]);
});

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const LATER = '2026-01-02T03:09:05.000Z';
const message = { attempts: 3, succeeded: false, response_status: null, next_attempt_at: null };

test('a webhook message that failed for good is shown as failed', () => {
  expect(outcomeOf(message, NOW)).toBe('failed after 3 attempts (no response)');
  expect(markOf(message)).toBe('failed');
});

test('a webhook message with another attempt ahead is shown with its next try, not as failed', () => {
  const retrying = { ...message, next_attempt_at: LATER };
  expect(outcomeOf(retrying, NOW)).toBe('retrying after 3 attempts (no response), next try in 5 minutes');
  expect(outcomeOf({ ...retrying, attempts: 1, response_status: 500 }, NOW)).toBe(
    'retrying after 1 attempt (500), next try in 5 minutes',
  );
  expect(outcomeOf(retrying, Date.parse(LATER))).toBe('retrying after 3 attempts (no response)');
  expect(markOf(retrying)).toBe('expired');
});

test('a delivered webhook message shows its number of attempts and its response status', () => {
  const delivered = { ...message, succeeded: true, response_status: 200 };
  expect(outcomeOf(delivered, NOW)).toBe('delivered after 3 attempts (200)');
  expect(outcomeOf({ ...message, attempts: 0 }, NOW)).toBe('waiting');
});
