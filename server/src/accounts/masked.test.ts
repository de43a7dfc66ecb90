import { expect, test } from 'vitest';
import { masked } from './masked.ts';

test('a masked address shows its owner enough to recognise it, and a stranger too little to use it', () => {
  expect(masked({ channel: 'email', recipient: 'alice@example.com' })).toBe('a•••@example.com');
  expect(masked({ channel: 'sms', recipient: '+14155552671' })).toBe('••• 2671');
});
