import type { StatusLog } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { noteText, statusChange } from './status-change.ts';

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
  expect(['Accepted by twilio', 'Accepted by mine', 'Superseded', null].map(noteText)).toEqual([
    'Accepted by Twilio',
    'Accepted by mine',
    'Superseded',
    null,
  ]);
});
