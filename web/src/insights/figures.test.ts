import { COUNT_NAMES, type Counts, conversionOf, type Totals } from '@sixdigit/contract/insights.ts';
import { expect, test } from 'vitest';
import {
  bySends,
  DURATION_STEPS,
  duration,
  fallbackText,
  figuresOf,
  hasReports,
  ownCodesOf,
  refusedText,
  shortDuration,
  trendOf,
} from './figures.ts';
import { marksOf } from './SeriesChart.tsx';

const totals = (of: Partial<Totals>): Totals => ({
  ...(Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as Counts),
  conversion: null,
  median_seconds: null,
  p95_seconds: null,
  ...of,
});

test('durations are formatted for display', () => {
  expect([0.4, 8, 60, 125, null].map(duration)).toEqual(['0.4 s', '8 s', '1 min', '2 min 5 s', '–']);
});

test('groups are ordered by their sends, without those that sent only own codes', () => {
  const groups = [
    { name: 'Email', sent: 47 },
    { name: 'A connection', sent: 0 },
    { name: 'Canada', sent: 53 },
  ];
  expect(bySends(groups).map(({ name }) => name)).toEqual(['Canada', 'Email']);
});

const slot = (at: string, of: Partial<Totals>) => ({ ...totals(of), at });
const insights = (now: Partial<Totals>, before: Partial<Totals>, series: ReturnType<typeof slot>[]) => ({
  totals: totals(now),
  before: totals(before),
  series,
  interval: 'day' as const,
  from: '2026-11-24T20:00:00Z',
  as_of: '2026-11-26T20:00:00Z',
});

test('sent and failed count own codes, as the list does', () => {
  const figures = figuresOf(
    insights({ sent: 10, failed: 2, own_codes: 24, own_failed: 1, credits: 33 }, {}, []),
  );
  expect(figures.map(({ value }) => value)).toEqual(['34', '–', '–', '3', '33']);
  expect(ownCodesOf({ own_codes: 24 })).toBe('24 codes verified elsewhere');
  expect(ownCodesOf({ own_codes: 0 })).toBeUndefined();
});

test('each figure shows its change since the previous period', () => {
  const ended = slot('2026-11-25T00:00:00Z', { sent: 10, verified: 8, expired: 2 });
  const figures = figuresOf(
    insights(
      { sent: 150, conversion: 0.8, median_seconds: 10, failed: 6, credits: 150 },
      {
        sent: 100,
        conversion: 0.85,
        median_seconds: 20,
        failed: 2,
        own_codes: 20,
        own_failed: 10,
        credits: 0,
      },
      [ended],
    ),
  );
  expect(figures.map(({ change }) => change)).toEqual([
    { text: '+25%', isGood: null },
    { text: '−5 points', isGood: false },
    { text: '−50%', isGood: true },
    { text: '−6 points', isGood: true },
    undefined,
  ]);
  expect(figures[0]?.comparison).toBe('120 in the period before');
  expect(figures[3]).toMatchObject({
    value: '6',
    comparison: '4% of all sends, 10% in the period before',
  });
  expect(figures[1]?.comparison).toBe('85% in the period before');
});

test('a change of less than 5% or of less than a point is neither good nor bad', () => {
  const ended = slot('2026-11-25T00:00:00Z', { sent: 1_000, verified: 845, expired: 155 });
  const figures = figuresOf(
    insights(
      { sent: 1_000, conversion: 0.845, median_seconds: 41, failed: 109 },
      { sent: 1_000, conversion: 0.85, median_seconds: 40, failed: 100 },
      [ended],
    ),
  );
  expect(figures.slice(1, 4).map(({ change }) => change)).toEqual([
    { text: '−0.5 points', isGood: null },
    { text: '+2.5%', isGood: null },
    { text: '+0.9 points', isGood: null },
  ]);
});

test('the conversion is compared without the unfinished day and without days with open sends', () => {
  const [, conversion] = figuresOf(
    insights({ conversion: 0.5 }, { conversion: 0.7 }, [
      slot('2026-11-24T00:00:00Z', { sent: 10, verified: 8, expired: 2 }),
      slot('2026-11-25T00:00:00Z', { sent: 10, verified: 1, expired: 8 }),
      slot('2026-11-26T00:00:00Z', { sent: 10, verified: 1, expired: 9 }),
    ]),
  );
  expect(conversion).toMatchObject({
    value: '50%',
    change: { text: '+10 points', isGood: true },
    comparison: '70% in the period before, 80% now without the unfinished day',
  });
});

test('a period without a finished day has no comparison of its conversion', () => {
  const today = slot('2026-11-26T00:00:00Z', { sent: 10, verified: 9, expired: 1 });
  expect(figuresOf(insights({ conversion: 0.9 }, { conversion: 0.7 }, [today]))[1]?.change).toBeUndefined();
});

test('a small line omits a first day that the period only touches, and marks an unfinished last one', () => {
  const series = ['2026-11-24', '2026-11-25', '2026-11-26'].map((day, n) =>
    slot(`${day}T00:00:00Z`, { sent: n + 1 }),
  );
  const data = insights({}, {}, series);
  expect(trendOf(data, ({ sent }) => sent)).toEqual({ values: [2, 3], isLastOpen: true });
  expect(trendOf({ ...data, as_of: '2026-11-27T20:00:00Z' }, ({ sent }) => sent)).toMatchObject({
    isLastOpen: false,
  });
});

test('a duration axis has few ticks, and one unit from one minute up', () => {
  const texts = (top: number) => marksOf(DURATION_STEPS, top).map(shortDuration);
  expect(texts(150)).toEqual(['0 s', '1 min', '2 min', '3 min']);
  expect(texts(41)).toEqual(['0 s', '15 s', '30 s', '45 s']);
  expect(texts(0)).toEqual(['0 s', '0.5 s']);
  expect(texts(20_000)).toEqual(['0 s', '83.3 min', '166.7 min', '250 min', '333.3 min']);
});

test('sends that are still open do not count against the conversion', () => {
  const of = (counts: Partial<Counts>) => conversionOf(totals(counts));
  expect(of({ sent: 10, verified: 3, failed: 1 })).toBe(0.75);
  expect(of({ sent: 10, failed: 1 })).toBeNull();
  expect(of({ sent: 1, failed: 1 })).toBe(0);
  expect(of({ sent: 3 })).toBeNull();
  expect(of({ sent: 2, expired: 2, canceled: 1 })).toBe(0);
});

test.each([
  [{ sends: 0, without_credits: 0, has_more: false }, undefined],
  [{ sends: 1, without_credits: 0, has_more: false }, '1 send was refused.'],
  [{ sends: 1, without_credits: 1, has_more: false }, '1 send was refused for lack of credits.'],
  [
    { sends: 1_200, without_credits: 1, has_more: false },
    '1,200 sends were refused, 1 of them for lack of credits.',
  ],
  [
    { sends: 20_001, without_credits: 20_001, has_more: true },
    'More than 20,001 sends were refused, 20,001 of them for lack of credits.',
  ],
])('the refused sends %j are described as %j', (refused, text) => {
  expect(refusedText(refused)).toBe(text);
});

test('the funnel shows delivery only if carriers reported at least as many deliveries as codes were verified', () => {
  expect(hasReports({ delivered: 0, verified: 0 })).toBe(false);
  expect(hasReports({ delivered: 7, verified: 67 })).toBe(false);
  expect(hasReports({ delivered: 67, verified: 67 })).toBe(true);
});

test('the text about fallbacks compares the codes that they saved with their cost', () => {
  const first = { step: 1, verified: 30, credits: 50 };
  expect(fallbackText([first, { step: 2, verified: 10, credits: 25 }])).toBe(
    '10 codes were entered only after a fallback, 25% of all. Fallback messages cost 25 credits, 2.5 for each of them.',
  );
  expect(fallbackText([first, { step: 2, verified: 0, credits: 1 }])).toBe(
    'No code was entered after a fallback. Fallback messages cost 1 credit.',
  );
});
