import type { StatusLog } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { carrierOf, statusChange } from './status-change.ts';

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

test('only the entry of the send names the carrier', () => {
  expect(carrierOf(log('pending', 'sent'), { carrier: 'twilio' })).toBe('by Twilio');
  expect(carrierOf(log('pending', 'sent'), { carrier: null })).toBeUndefined();
  expect(carrierOf(log('sent', 'sent'), { carrier: 'twilio' })).toBeUndefined();
  expect(carrierOf(log('sent', 'verified'), { carrier: 'twilio' })).toBeUndefined();
});

test('an unknown carrier appears under its own name', () => {
  expect(carrierOf(log('pending', 'sent'), { carrier: 'pigeon' })).toBe('by pigeon');
});
