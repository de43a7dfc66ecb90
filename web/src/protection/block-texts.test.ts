import type { Block } from '@sixdigit/contract/protection/protection.ts';
import { beforeAll, expect, test } from 'vitest';
import { loadPhoneFormat } from '../ui/phone-numbers.ts';
import { blockDestination, entryText, groupsOf } from './block-texts.ts';

const block: Block = {
  rule: 'prefix_velocity',
  scope: 'account',
  prefix: '+1415555',
  country: 'US',
  client: null,
  blocked: 3,
  monitored: 0,
  first_at: '2026-01-01T00:00:00.000Z',
  last_at: '2026-01-01T00:00:00.000Z',
  blocked_until: null,
  allow: { kind: 'prefix', value: '+1415555' },
  is_allowed: false,
};

beforeAll(loadPhoneFormat);

test('a block names the prefix, country or client that the user can allow', () => {
  expect(blockDestination(block)).toBe('+1 415 555… in United States');
  expect(blockDestination({ ...block, country: null })).toBe('+1 415 555…');
  expect(blockDestination({ ...block, rule: 'country' })).toBe('United States');
  expect(blockDestination({ ...block, rule: 'client_velocity', client: '203.0.113.7' })).toBe('203.0.113.7');
});

test('list entries appear as numbers, prefixes, addresses or country names', () => {
  expect(entryText({ kind: 'number', value: '+14155552671' })).toBe('+1 415 555 2671');
  expect(entryText({ kind: 'prefix', value: '+1415' })).toBe('+1 415…');
  expect(entryText({ kind: 'address', value: '203.0.113.0/24' })).toBe('203.0.113.0/24');
  expect(entryText({ kind: 'country', value: 'DE' })).toBe('Germany');
});

test('blocks that one entry of the allow list would end are one group', () => {
  const slow = { ...block, rule: 'prefix_conversion' as const };
  const client = {
    ...block,
    client: '203.0.113.7',
    allow: { kind: 'address' as const, value: '203.0.113.7' },
  };
  const fixed = { ...block, scope: 'deployment' as const, allow: null };
  expect(groupsOf([block, client, slow, fixed, { ...fixed, prefix: '+1416555' }])).toEqual([
    [block, slow],
    [client],
    [fixed],
    [{ ...fixed, prefix: '+1416555' }],
  ]);
});

test('most sends come first among groups and within them, then the newest', () => {
  const rare = { ...block, prefix: '+1416555', allow: { kind: 'prefix' as const, value: '+1416555' } };
  const slow = { ...block, rule: 'prefix_conversion' as const, blocked: 1, monitored: 9 };
  expect(groupsOf([rare, block, slow])).toEqual([[slow, block], [rare]]);
  expect(groupsOf([rare, block])).toEqual([[rare], [block]]);
});
