import { expect, test } from 'vitest';
import { percent, percentOf, signed } from './numbers.ts';

test('a percentage has no space and at most one decimal', () => {
  expect([0, 0.32, 0.875, 1, 1.5].map(percent)).toEqual(['0%', '32%', '87.5%', '100%', '150%']);
});

test('a percentage that would round to none is shown as less than 0.1%', () => {
  expect([percent(0.0009), percentOf(1, 12_480), percentOf(0, 10)]).toEqual(['<0.1%', '<0.1%', '0%']);
});

test('a share of nothing is a dash', () => {
  expect([percent(null), percentOf(0, 0)]).toEqual(['–', '–']);
});

test('a negative number has a minus sign, not a hyphen', () => {
  expect([-1, 0, 1_200].map(signed)).toEqual(['−1', '0', '+1,200']);
});
