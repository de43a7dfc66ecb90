import { expect, test } from 'vitest';
import { canBePhone, isLookedUp, readPaletteText, suitsAccount, suitsPurchase } from './ConsolePalette.tsx';

test.each([
  ['refund bob@example.com', { verb: 'refund', subject: 'bob@example.com' }],
  ['Block bob', { verb: 'suspend', subject: 'bob' }],
  ['adjust credits', { verb: 'adjust', subject: 'credits' }],
  ['limits of Bob Smith', { verb: 'limits', subject: 'Bob Smith' }],
  [' bob smith ', { subject: 'bob smith' }],
  ['refund', { subject: 'refund' }],
])('the palette separates the action from its subject in "%s"', (text, read) => {
  expect(readPaletteText(text)).toEqual(read);
});

test.each([
  [undefined, ['active', 'suspended', 'deleted'], ['paid', 'refunded', 'open']],
  ['suspend', ['active'], ['paid', 'refunded', 'open']],
  ['resume', ['suspended'], ['paid', 'refunded', 'open']],
  ['adjust', ['active', 'suspended'], ['paid', 'refunded', 'open']],
  ['refund', ['active', 'suspended'], ['paid']],
] as const)(
  'for the action %s, the palette offers accounts that are %j and purchases that are %j',
  (verb, states, bought) => {
    const purchases = {
      paid: { status: 'succeeded', refunded_cents: 600, price_usd_cents: 1_800 },
      refunded: { status: 'succeeded', refunded_cents: 1_800, price_usd_cents: 1_800 },
      open: { status: 'pending', refunded_cents: 0, price_usd_cents: 1_800 },
    } as const;
    const all = ['active', 'suspended', 'deleted'] as const;
    expect(all.filter((state) => suitsAccount(verb, { state }))).toEqual(states);
    const offered = Object.entries(purchases).filter(([, purchase]) => suitsPurchase(verb, purchase));
    expect(offered.map(([name]) => name)).toEqual(bought);
  },
);

test('the palette searches names, addresses and ids while they are typed, but never a possible phone number', () => {
  for (const text of [
    'bob',
    'bob 4155552671',
    'bob4155552671@example.com',
    '01a2030e-9e0a-412a-a7fe-953213690491',
    'pi_3Q1',
    'sd_live_1234',
  ])
    expect([isLookedUp(text), canBePhone(text)], text).toEqual([true, false]);
  for (const text of ['+6834000', '(415) 555-2671', 'tel:+14155552671', '+٤٩٣٠١٢٣٤', '123'])
    expect([isLookedUp(text), canBePhone(text)], text).toEqual([false, true]);
  for (const text of ['', 'bo']) expect([isLookedUp(text), canBePhone(text)], text).toEqual([false, false]);
});
