import type { StatusLog } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { elapsed } from './status-change.ts';

const START = Date.parse('2026-11-22T12:00:00Z');
const at = (ms: number): string => new Date(START + ms).toISOString();
const log = (
  previous_status: StatusLog['previous_status'],
  new_status: StatusLog['new_status'],
  ms: number,
): StatusLog => ({ id: '', previous_status, new_status, changed_at: at(ms), ip_address: null, notes: null });
const times = { created_at: at(0), sent_at: at(412), carrier: 'twilio' };

const created = log(null, 'pending', 0);
const sent = log('pending', 'sent', 412);
const delivered = log('sent', 'sent', 2_412);

test.each([
  ['the creation has no duration', created, undefined, undefined],
  ['a send names the carrier', sent, created, 'sent after 0.4 s by Twilio'],
  ['a delivery report counts from the send', delivered, sent, '+2 s'],
  [
    'a verification counts from the send, not from the delivery report',
    log('sent', 'verified', 27_412),
    delivered,
    'verified after 27 s',
  ],
  [
    'a verification before the send counts from the creation',
    log('pending', 'verified', 900),
    created,
    'verified after 0.5 s',
  ],
  ['an expiry counts from the previous entry', log('sent', 'expired', 300_412), sent, '+5 min'],
])('%s', (_, entry, before, text) => {
  expect(elapsed(entry, before, times)).toBe(text);
});

test('an unknown carrier appears under its own name, and a missing one is left out', () => {
  expect(elapsed(sent, created, { ...times, carrier: 'pigeon' })).toBe('sent after 0.4 s by pigeon');
  expect(elapsed(sent, created, { ...times, carrier: null })).toBe('sent after 0.4 s');
  expect(elapsed(log('pending', 'verified', 900), created, { ...times, sent_at: null })).toBe(
    'verified after 0.9 s',
  );
});
