import { expect, test } from 'vitest';
import { pagerTexts } from './Pager.tsx';

const texts = (page: number, count: number, known: 'exact' | 'counting' | 'unavailable' = 'exact') =>
  pagerTexts({ page, pageSize: 10, count, known }, { noun: 'OTP(s)', isFiltered: known !== 'exact' });

test('the pager shows the range of rows, the number of matches and the number of pages', () => {
  expect(texts(1, 7)).toEqual({ showing: 'Showing 1-7 of 7 OTP(s)', of: 'Page 1 of 1', hasNext: false });
  expect(texts(2, 21)).toMatchObject({
    showing: 'Showing 11-20 of 21 OTP(s)',
    of: 'Page 2 of 3',
    hasNext: true,
  });
  expect(texts(3, 21).hasNext).toBe(false);
  expect(texts(1_235, 1_234_567).showing).toBe('Showing 12,341-12,350 of 1,234,567 OTP(s)');
});

test('while matches are being counted, the pager shows a lower bound and allows the next page', () => {
  expect(texts(1, 20_001, 'counting')).toEqual({
    showing: 'Showing 1-10 of more than 20,000 OTP(s) (filtered)',
    of: 'Page 1 of …',
    hasNext: true,
  });
  expect(texts(1, 20_001, 'unavailable').of).toBe('Page 1');
  // the last page: no further row was found
  expect(texts(2_500, 25_000, 'counting').hasNext).toBe(false);
});

test('the pager names one row in the singular, except OTP(s)', () => {
  const one = (noun: string) =>
    pagerTexts({ page: 1, pageSize: 10, count: 1, known: 'exact' }, { noun, isFiltered: false }).showing;
  expect(one('webhook(s)')).toBe('Showing 1-1 of 1 webhook');
  expect(one('OTP(s)')).toBe('Showing 1-1 of 1 OTP(s)');
  const two = pagerTexts(
    { page: 1, pageSize: 10, count: 2, known: 'exact' },
    { noun: 'API key(s)', isFiltered: true },
  );
  expect(two.showing).toBe('Showing 1-2 of 2 API keys (filtered)');
});
