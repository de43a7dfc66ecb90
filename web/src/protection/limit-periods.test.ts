import { expect, test } from 'vitest';
import { PERIODS, periodText } from './limit-periods.ts';

test('a period is named in its largest whole unit', () => {
  expect(PERIODS.map(periodText)).toEqual([
    '1 minute',
    '10 minutes',
    '1 hour',
    '6 hours',
    '1 day',
    '7 days',
    '30 days',
  ]);
  expect([90, 5_400].map(periodText)).toEqual(['90 seconds', '90 minutes']);
});
