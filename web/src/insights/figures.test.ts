import { expect, test } from 'vitest';
import { COUNT_NAMES, type Counts, type Totals } from '#contract/insights.ts';
import { DURATION_STEPS, duration, figuresOf, percent, shortDuration } from './figures.ts';
import { marksOf } from './marks.ts';

const totals = (of: Partial<Totals>): Totals => ({
  ...(Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as Counts),
  conversion: null,
  median_seconds: null,
  p95_seconds: null,
  ...of,
});

test('durations and shares read as a person writes them', () => {
  expect([0.4, 8, 60, 125, null].map(duration)).toEqual(['0.4 s', '8 s', '1 min', '2 min 5 s', '–']);
  expect([0.875, 1, null].map(percent)).toEqual(['87.5%', '100%', '–']);
});

test('each figure shows its change since the period before', () => {
  const figures = figuresOf(
    totals({ sent: 150, conversion: 0.8, median_seconds: 10, failed: 4, credits: 150 }),
    totals({ sent: 100, conversion: 0.85, median_seconds: 20, failed: 4, credits: 0 }),
  );
  expect(figures.map(({ change }) => change)).toEqual([
    { text: '+50%', isGood: null },
    { text: '-5 points', isGood: false },
    { text: '-50%', isGood: true },
    { text: '0%', isGood: null },
    undefined,
  ]);
});

test('an axis of durations has few values, in one unit from a minute on', () => {
  const texts = (top: number) => marksOf(DURATION_STEPS, top).map(shortDuration);
  expect(texts(150)).toEqual(['0 s', '1 min', '2 min', '3 min']);
  expect(texts(41)).toEqual(['0 s', '15 s', '30 s', '45 s']);
  expect(texts(0)).toEqual(['0 s', '0.5 s']);
  expect(texts(20_000)).toEqual(['0 s', '83.3 min', '166.7 min', '250 min', '333.3 min']);
});
