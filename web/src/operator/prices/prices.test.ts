import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { expect, test } from 'vitest';
import { changedPanels, differences } from './prices.ts';

test('the differences between two price lists name every changed price', () => {
  const sms = { channel: 'sms', country: 'DE', credits: 2, unit: 'segment' } as const;
  const bundles = [{ credits: 1000, discount: 5, popular: false }];
  expect(
    differences(
      { ...DEFAULT_PRICES, sends: [sms] },
      { base_price_cents: 3, minimum_credits: 30, bundles, sends: [{ ...sms, credits: 4 }] },
    ),
  ).toEqual([
    'Credit: 2 → 3 cents',
    'Smallest purchase: 25 → 30 credits',
    'Bundles: 1,000 −5%',
    'SMS to Germany: 4 credits per segment',
    'Removed: SMS to Germany: 2 credits per segment',
  ]);
  expect(differences(DEFAULT_PRICES, DEFAULT_PRICES)).toEqual([]);
});

test('the panels with unsaved changes are named', () => {
  const sends = [{ channel: 'sms', country: null, credits: 2, unit: 'request' } as const];
  expect(changedPanels(DEFAULT_PRICES, { ...DEFAULT_PRICES, minimum_credits: 30 })).toBe('Credits');
  expect(changedPanels(DEFAULT_PRICES, { ...DEFAULT_PRICES, sends })).toBe('Message prices');
  expect(changedPanels(DEFAULT_PRICES, { ...DEFAULT_PRICES, minimum_credits: 30, sends })).toBe(
    'Credits and Message prices',
  );
});
