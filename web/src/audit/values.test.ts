import { expect, test } from 'vitest';
import { changesOf, labelOfField, textOf } from './values.ts';

test('field names of an audit entry are shown as words', () => {
  expect(labelOfField('daily_credit_limit')).toBe('Daily credit limit');
  expect(labelOfField('isSuspended')).toBe('Is suspended');
  expect(labelOfField('ip_address')).toBe('IP address');
});

test('values of an audit entry are shown as words', () => {
  expect([null, '', [], true, false, 1000, 'Shop'].map(textOf)).toEqual([
    'None',
    'None',
    'None',
    'Yes',
    'No',
    '1,000',
    'Shop',
  ]);
  expect(textOf('2026-11-21T03:05:12.000Z')).toMatch(/^Nov 2\d, 2026, \d\d:05:12/);
  expect(textOf(['otp:send', 'otp:read'])).toBe('otp:send, otp:read');
  expect(textOf({ mode: 'enforce', limit: 30 })).toBe('Mode: enforce, Limit: 30');
});

test('a change lists each field once, and a side that lacks the field stays empty', () => {
  expect(changesOf({ name: 'Shop' }, { name: 'Store', note: '' })).toEqual([
    { field: 'Name', before: 'Shop', after: 'Store' },
    { field: 'Note', before: undefined, after: 'None' },
  ]);
  expect(changesOf(null, null)).toEqual([]);
});

test('a new announcement has the words of its screen, and its start comes before its end', () => {
  const values = { tone: 'info', ends_at: '2026-12-03T17:25:45.000Z', starts_at: '2026-12-03T16:25:45.000Z' };
  const changes = changesOf(null, values);
  expect(changes.map(({ field }) => field)).toEqual(['Tone', 'Starts at', 'Ends at']);
  expect(changes[0]?.after).toBe('Information');
});
