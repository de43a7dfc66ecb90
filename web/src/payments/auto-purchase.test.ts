import type { AutoPurchase } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { bodyOf } from './AutoPurchaseDialog.tsx';
import { lastAttempt, toDo } from './auto-purchase.ts';

const kept: AutoPurchase = {
  auto_purchase_enabled: true,
  auto_purchase_threshold: 50,
  auto_purchase_amount: 500,
  state: 'on',
  next_at: null,
  price_display: '$9.50',
  card: { id: 'pm', brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2030 },
  is_card_known: true,
  last_attempt: null,
};

test('auto-purchase that works needs nothing, and without a card it asks for one', () => {
  expect(toDo(kept)).toBeUndefined();
  expect(toDo({ ...kept, card: null, is_card_known: false })).toBeUndefined();
  expect(toDo({ ...kept, card: null })).toMatch(/save the card\.$/);
  expect(toDo({ ...kept, state: 'paused_authentication' })).toMatch(/^Your bank wants you to confirm/);
});

test('the last attempt names its credits, price and failure', () => {
  const attempt = { created_at: '2026-11-21T03:50:00.000Z', credits: 500, price_display: '$9.50' };
  expect(lastAttempt({ ...attempt, status: 'succeeded', failure: null })).toBe(
    '500 credits for $9.50 bought.',
  );
  expect(lastAttempt({ ...attempt, status: 'failed', failure: 'Your card has insufficient funds.' })).toBe(
    '500 credits for $9.50 failed. Your card has insufficient funds.',
  );
});

test('invalid numbers become the defaults, and fields of auto-purchase that is off keep their values', () => {
  const values = { auto_purchase_enabled: true, auto_purchase_threshold: 'many', auto_purchase_amount: '' };
  expect(bodyOf(values, kept)).toEqual({ ...values, auto_purchase_threshold: 50, auto_purchase_amount: 500 });
  const off = { auto_purchase_enabled: false, auto_purchase_threshold: '0', auto_purchase_amount: '1' };
  expect(bodyOf(off, kept)).toEqual({ ...off, auto_purchase_threshold: 50, auto_purchase_amount: 500 });
});
