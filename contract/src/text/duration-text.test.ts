import { expect, test } from 'vitest';
import { durationText } from './duration-text.ts';

test('a time to wait is given in seconds, minutes or hours, and never too short', () => {
  expect([0, 1, 5, 119, 120, 121, 900, 7_140, 7_200, 7_201, 86_400].map(durationText)).toEqual([
    '1 second',
    '1 second',
    '5 seconds',
    '119 seconds',
    '2 minutes',
    '3 minutes',
    '15 minutes',
    '119 minutes',
    '2 hours',
    '3 hours',
    '24 hours',
  ]);
});
