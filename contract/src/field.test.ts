import { expect, test } from 'vitest';
import { headerText, password, verificationCode } from './field.ts';
import { calculatePrice } from './payments.ts';

const problem =
  (schema: { safeParse: (input: unknown) => { error?: { issues: { message: string }[] } } }) =>
  (input: unknown) =>
    schema.safeParse(input).error?.issues[0]?.message;

test('a verification code is six digits', () => {
  const of = problem(verificationCode);
  expect(of('123456')).toBeUndefined();
  expect(of('12345')).toBe('Verification code must be 6 digits');
  expect(of('12345a')).toBe('Verification code must contain only numbers');
});

test('a password has 8 to 128 characters', () => {
  const of = problem(password);
  expect(of('12345678')).toBeUndefined();
  expect(of('1234567')).toBe('Password must be at least 8 characters long');
  expect(of('x'.repeat(129))).toBe('Password must be at most 128 characters long');
});

test('a mail header holds one line without invisible characters', () => {
  expect(headerText('Acme Ltd')).toBe(true);
  for (const text of ['a\nb', 'a\r\nBcc: x', 'a\u202eb', 'a\u2028b', 'a\u0000b'])
    expect(headerText(text)).toBe(false);
});

test('a custom amount is a whole number of credits up to 100,000', () => {
  const of = problem(calculatePrice.body);
  expect(of({ credits: 1 })).toBeUndefined();
  expect(of({ credits: 100_000 })).toBeUndefined();
  for (const credits of [0, -1, 1.5, '100', null]) expect(of({ credits })).toBeDefined();
  expect(of({ credits: 1.5 })).toBe('Please enter a valid credit amount');
});
