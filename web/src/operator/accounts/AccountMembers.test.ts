import type { OperatorAccountDetail } from '@sixdigit/contract/operator/accounts.ts';
import { expect, test } from 'vitest';
import { lastSeenOf } from './AccountMembers.tsx';

const session = (last_used_at: string) => ({ last_used_at }) as OperatorAccountDetail['sessions'][number];
const account = {
  email: 'dana@example.com',
  sessions: [session('2026-11-27T16:30:00Z'), session('2026-11-27T16:20:00Z')],
};

test('the owner was last seen when a session was last used', () => {
  const dana = { email: 'dana@example.com', last_seen_at: '2026-11-27T16:26:00Z' };
  expect(lastSeenOf(dana, account)).toBe('2026-11-27T16:30:00Z');
  expect(lastSeenOf({ ...dana, last_seen_at: '2026-11-27T16:31:00Z' }, account)).toBe('2026-11-27T16:31:00Z');
});

test('the sessions say nothing about other members', () => {
  const eve = { email: 'eve@example.com', last_seen_at: null };
  expect(lastSeenOf(eve, account)).toBe(null);
  expect(lastSeenOf({ ...eve, last_seen_at: '2026-11-01T10:00:00Z' }, account)).toBe('2026-11-01T10:00:00Z');
});
