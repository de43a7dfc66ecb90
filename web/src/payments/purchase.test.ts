import { expect, test } from 'vitest';
import { endsPayment, stepOf } from './purchase.ts';

const offer = { credits: 1_000, price_usd_cents: 1_800, price_display: '$18.00' };
const payment = { clientSecret: 'secret', saves: true };

test.each([
  { opened: undefined, step: 'select' },
  { opened: 'choose', step: 'select' },
  { opened: 'pay', step: 'select' },
  { opened: 'choose', offer, step: 'choose' },
  { opened: 'pay', offer, step: 'select' },
  { opened: 'pay', offer, payment, step: 'pay' },
  { opened: 'elsewhere', offer, payment, step: 'select' },
])('the purchase step $opened in the URL opens $step, depending on the selection (case %#)', (given) => {
  expect(stepOf(given.opened, given.offer, given.payment)).toBe(given.step);
});

test('a canceled payment ends, and a declined card can be tried again on the same payment', () => {
  expect(endsPayment({ status: 'canceled', payment_intent_id: 'pi_1' })).toBe(true);
  expect(endsPayment({ status: 'succeeded', payment_intent_id: 'pi_1' })).toBe(false);
  expect(endsPayment({ problem: 'Your card was declined.' })).toBe(false);
  expect(endsPayment({ problem: 'This payment is over.', isOver: true })).toBe(true);
});
