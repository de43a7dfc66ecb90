import { expect, test } from 'vitest';
import { monthsBefore } from './accounting-months.ts';

test('months begin and end on their own days in UTC, across a year and a leap day', () => {
  expect(monthsBefore(new Date('2028-03-31T23:59:59Z'), 4)).toEqual([
    { label: 'March 2028', period: { from: '2028-03-01', to: '2028-03-31' } },
    { label: 'February 2028', period: { from: '2028-02-01', to: '2028-02-29' } },
    { label: 'January 2028', period: { from: '2028-01-01', to: '2028-01-31' } },
    { label: 'December 2027', period: { from: '2027-12-01', to: '2027-12-31' } },
  ]);
});
