import { expect, test } from 'vitest';
import { defaultLimits } from './LimitsDialog.tsx';

const setting = (name: string, environment: string, override: string | null = null) => ({
  name,
  environment,
  override,
  version: 0,
  changed_at: null,
  changed_by: null,
});

test("an account's default limits are the deployment's settings, and operators' values before the environment's", () => {
  const limits = defaultLimits([
    setting('RECIPIENT_SENDS_PER_10_MIN', '5'),
    setting('RECIPIENT_SENDS_PER_DAY', '20', '12'),
    setting('ALLOWED_COUNTRIES', '*'),
  ]);
  expect(limits).toEqual({
    requests_per_second: '30',
    recipient_sends_per_10_min: '5',
    recipient_sends_per_day: '12',
    daily_credit_limit: 'no limit',
    monthly_credit_limit: 'no limit',
    countries: 'all countries',
  });
});

test('a long list of default countries is shortened', () => {
  const countriesOf = (value: string) => defaultLimits([setting('ALLOWED_COUNTRIES', value)]).countries;
  expect(countriesOf('US,CA')).toBe('United States and Canada');
  expect(countriesOf('US, CA, DE, FR, GB, IT, ES')).toBe(
    'United States, Canada, Germany, France, United Kingdom and 2 more',
  );
});
