import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { expect, test } from 'vitest';
import { allPrices, areDefault, countryText, priceText, pricingNote } from './send-prices.ts';

const SHOWN = ['sms', 'voice', 'email'] as const;
const sms: SendPrice = { channel: 'sms', country: null, credits: 2, unit: 'segment' };

test('without operator prices, every channel costs one credit', () => {
  expect(areDefault([])).toBe(true);
  expect(pricingNote([], SHOWN)).toBe('SMS/Email costs 1 credit, voice costs 1 credit.');
});

test('the pricing note names the price of each channel, and mentions other prices for some countries', () => {
  expect(pricingNote([sms], SHOWN)).toBe(
    'SMS costs 2 credits per segment, voice costs 1 credit, email costs 1 credit.',
  );
  expect(pricingNote([sms, { ...sms, country: 'DE', credits: 5 }], SHOWN)).toMatch(
    /Some countries have other prices\.$/,
  );
});

test('the price list of a channel has a row for each priced country and one for all others', () => {
  const german: SendPrice = { channel: 'sms', country: 'DE', credits: 5, unit: 'request' };
  const one = { country: null, credits: 1, unit: 'request' };
  expect(allPrices([german], SHOWN)).toEqual([
    { ...german, isOnly: false },
    { ...one, channel: 'sms', isOnly: false },
    { ...one, channel: 'voice', isOnly: true },
    { ...one, channel: 'email', isOnly: true },
  ]);
  expect(allPrices([german, sms], SHOWN)[1]).toEqual({ ...sms, isOnly: false });
});

test('a price has its unit, and a country its name', () => {
  expect(priceText(sms)).toBe('2 credits per segment');
  expect(priceText({ credits: 1, unit: 'request' })).toBe('1 credit');
  expect([countryText('DE'), countryText(null)]).toEqual(['Germany', 'All other countries']);
});
