import { expect, test } from 'vitest';
import { insightsDefaults, readInsightsSearch } from './insights.ts';
import { behind } from './list-address.ts';

test('invalid values in the Insights URL become the defaults, and a custom range needs two days in order', () => {
  expect(readInsightsSearch({ range: '2d', channel: 'fax', country: 'usa', api_key: 'x' })).toEqual(
    insightsDefaults,
  );
  const days = { range: 'custom', from: '2026-11-01', to: '2026-11-03' };
  expect(readInsightsSearch(days)).toMatchObject(days);
  expect(readInsightsSearch({ ...days, to: days.from })).toMatchObject({ range: 'custom', to: days.from });
  for (const wrong of [{ to: '2026-10-01' }, { to: 'tomorrow' }, { from: '' }, { from: '', to: '' }])
    expect(readInsightsSearch({ ...days, ...wrong })).toEqual(insightsDefaults);
});

test('a bar links to the verifications of its time slot with the filters of Insights', () => {
  const filters = { channel: '', country: 'US', api_key: '' } as const;
  const hour = { from: '2026-11-21T14:00:00.000Z', to: '2026-11-21T15:00:00.000Z' };
  expect(behind(filters, { ...hour, status: 'failed' })).toEqual({
    to: '/',
    search: { days: 'custom', ...hour, status: 'failed', country: 'US' },
  });
});
