import { expect, test } from 'vitest';
import { problemOf } from './custom-amount.ts';

const INVALID = 'Please enter a valid credit amount';

test.each([
  [1.5, false, INVALID],
  [100_001, false, 'At most 100,000 credits can be bought at once'],
  ['', false, undefined],
  [10, false, undefined],
  [25, false, undefined],
  ['', true, INVALID],
  [0, true, INVALID],
  [10, true, INVALID],
  [24, true, INVALID],
  [25, true, undefined],
  [100_000, true, undefined],
] as const)('the custom amount %j (purchase attempted: %s) has the error %j', (amount, hasTried, problem) => {
  expect(problemOf(amount, { hasTried, minimum: 25 })).toBe(problem);
});
