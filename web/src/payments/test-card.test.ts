import { expect, test } from 'vitest';
import { cardOf, formats, problemsOf } from './test-card.ts';

test('a card number is grouped by four, and an expiry gets a slash and a leading zero', () => {
  expect(formats.number('4242424242424242')).toBe('4242 4242 4242 4242');
  expect(formats.number('4242 42a')).toBe('4242 42');
  expect(['1', '4', '12', '430', '1230'].map(formats.expiry)).toEqual([
    '1',
    '04',
    '12',
    '04 / 30',
    '12 / 30',
  ]);
  expect(formats.cvc('12345')).toBe('1234');
});

test("incomplete fields show the same errors as Stripe's card form", () => {
  expect(problemsOf({ number: '4242', expiry: '13 / 30', cvc: '1' })).toEqual({
    number: 'Your card number is incomplete.',
    expiry: "Your card's expiration date is invalid.",
    cvc: "Your card's security code is incomplete.",
  });
  expect(problemsOf({ number: '4242 4242 4242 4242', expiry: '12 / 30', cvc: '123' })).toEqual({});
});

test('a complete test card form yields a card', () => {
  expect(cardOf({ number: '4242 4242 4242 4242', expiry: '04 / 30', cvc: '123' })).toEqual({
    number: '4242424242424242',
    exp_month: 4,
    exp_year: 2030,
    cvc: '123',
  });
});
