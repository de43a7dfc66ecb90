import { expect, test } from 'vitest';
import { wholeNumber } from '../form/whole-number.ts';
import { bodyOf, valuesOf } from './branding-values.ts';

const kept = {
  sender_name: '',
  reply_to_email: '',
  default_subject: '',
  default_message: '',
  default_otp_length: 6,
  default_expiry_seconds: 300,
  auto_purchase_enabled: false,
  auto_purchase_threshold: 50,
  auto_purchase_amount: 500,
  low_balance_threshold: null,
} as const;

test.each([
  ['7', 7],
  [' 7 ', 7],
  ['7.9', 7],
  ['-3', -3],
  ['', 6],
  ['  ', 6],
  ['six', 6],
  ['Infinity', 6],
])('the text %j in a number field is sent as %j', (text, number) => {
  expect(wholeNumber(text, 6)).toBe(number);
});

test('untouched settings are sent as they were loaded', () => {
  expect(bodyOf(valuesOf(kept as never), kept as never)).toEqual(kept);
});

test('invalid numbers become the defaults, and an empty low-balance threshold becomes none', () => {
  const values = { ...valuesOf(kept as never), default_otp_length: 'x', default_expiry_seconds: '' };
  expect(bodyOf(values, kept as never)).toMatchObject({
    default_otp_length: 6,
    default_expiry_seconds: 300,
    low_balance_threshold: null,
  });
});

test('amounts outside their range are ignored while auto-purchase is off, and sent while it is on', () => {
  const values = { ...valuesOf(kept as never), auto_purchase_threshold: '0', auto_purchase_amount: '7' };
  expect(bodyOf(values, kept as never)).toMatchObject({
    auto_purchase_threshold: 50,
    auto_purchase_amount: 500,
  });
  expect(bodyOf({ ...values, auto_purchase_enabled: true }, kept as never)).toMatchObject({
    auto_purchase_threshold: 0,
    auto_purchase_amount: 7,
  });
});
