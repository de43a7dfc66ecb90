import { expect, test } from 'vitest';
import { creditsIn, problemOf } from './CustomAmount.tsx';

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

test.each([
  ['1.000', 1000],
  ['1,000', 1000],
  ["1'000", 1000],
  ['1 000', 1000],
  ['10.000', 10_000],
  ['1.000.000', 1_000_000],
  ['007', 7],
  ['0250', 250],
  [' 500 ', 500],
  ['\uff15\uff10\uff10', 500],
  ['\u0665\u0660\u0660', 500],
  [250, 250],
])('the amount %j is understood as %i credits', (amount, credits) => {
  expect(creditsIn(amount)).toBe(credits);
  if (credits >= 25 && credits <= 100_000)
    expect(problemOf(amount, { hasTried: true, minimum: 25 })).toBeUndefined();
});

test.each(['1.5', '1.00', '1.0000', '1,000.5', '1.000,5', 'many', '-5', '1e3', '12 34'])(
  'the amount %j gets a sentence at once',
  (amount) => {
    expect(problemOf(amount, { hasTried: false, minimum: 25 })).toBe(INVALID);
  },
);

test('an amount that may go on gets no sentence yet', () => {
  for (const amount of ['', '1.', '10,'])
    expect(problemOf(amount, { hasTried: false, minimum: 25 })).toBeUndefined();
});
