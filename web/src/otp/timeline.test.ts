import type { StatusLog } from '@sixdigit/contract/verifications.ts';
import type { VerificationWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { momentsOf, timelineOf } from './timeline.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 22, 12, 0, second)).toISOString();
const wrong = (second: number, ip_address: string | null = '192.0.2.1') => ({
  id: `wrong ${second}`,
  created_at: at(second),
  ip_address,
});
const log = (second: number): StatusLog => ({
  id: `log ${second}`,
  previous_status: null,
  new_status: 'sent',
  changed_at: at(second),
  ip_address: null,
  notes: null,
});
const message = (second: number) =>
  ({ message_id: `message ${second}`, created_at: at(second) }) as VerificationWebhook;

test('the timeline orders status changes, wrong codes and webhooks by time', () => {
  const entries = timelineOf({
    logs: [log(0), log(5)],
    tries: [wrong(3)],
    messages: [message(5), message(1)],
  });
  expect(entries.map(({ kind, at: time }) => [kind, time])).toEqual([
    ['status', at(0)],
    ['webhook', at(1)],
    ['wrong_codes', at(3)],
    ['status', at(5)],
    ['webhook', at(5)],
  ]);
});

test('wrong codes from one address are one entry unless something happened between them', () => {
  const entries = timelineOf({
    logs: [log(3)],
    tries: [wrong(1), wrong(2), wrong(4), wrong(5, '192.0.2.2')],
  });
  expect(entries.map((entry) => (entry.kind === 'wrong_codes' ? entry.tries : entry.kind))).toEqual([
    { id: 'wrong 1', count: 2, from: at(1), until: at(2), ip_address: '192.0.2.1' },
    'status',
    { id: 'wrong 4', count: 1, from: at(4), until: at(4), ip_address: '192.0.2.1' },
    { id: 'wrong 5', count: 1, from: at(5), until: at(5), ip_address: '192.0.2.2' },
  ]);
});

test('wrong codes without an address are one entry', () => {
  const entries = timelineOf({ logs: [], tries: [wrong(1), wrong(2, null), wrong(3, null)] });
  expect(entries).toMatchObject([{ tries: { count: 1 } }, { tries: { count: 2 } }]);
});

test('the moments of a verification count from its creation and leave out those that did not happen', () => {
  const times = {
    created_at: at(0),
    sent_at: at(2),
    delivered_at: null,
    verified_at: null,
    expires_at: at(59),
  };
  expect(momentsOf(times)).toEqual([
    { name: 'Created', afterMs: 0 },
    { name: 'Sent', afterMs: 2_000 },
    { name: 'Expires', afterMs: 59_000 },
  ]);
});
