import { CODE_PATTERN_MAX, codePattern } from '@sixdigit/contract/connections.ts';
import { expect, test } from 'vitest';
import { expectQuick } from '../../test/linear-time.ts';
import { Failure } from '../platform/http/failure.ts';
import { codeIn } from './code-in-text.ts';

const found = (text: string, pattern: string | null = null) => {
  try {
    return codeIn(text, pattern);
  } catch (error) {
    return error instanceof Failure ? error.reason : error;
  }
};

test.each([
  ['Your code is 482913', '482913', 'Your code is {code}'],
  ['482913 is your code. Never share 482913.', '482913', '{code} is your code. Never share {code}.'],
  ['Code 314159, 26.11.2026', '314159', 'Code {code}, 26.11.2026'],
  ['PIN 0042', '0042', 'PIN {code}'],
])('without a pattern, the only possible code of "%s" is found', (text, code, message) => {
  expect(found(text)).toEqual({ code, message });
});

test.each(['Hello', 'Codes 111111 and 222222', 'Call 2026 or 1234', 'order A123456', 'Your code is AB12CD'])(
  'without a pattern, the text "%s" has no clear code',
  (text) => {
    expect(found(text)).toBe('code_missing');
  },
);

test.each([
  ['PIN: {code}', 'PIN: 1234, valid until 2026', '1234', 'PIN: {code}, valid until 2026'],
  ['{code} is your PIN', 'Ref 5678. 1234 is your PIN', '1234', 'Ref 5678. {code} is your PIN'],
  ['code {code} for', 'Order 123456, code 98765432 for you', '98765432', 'Order 123456, code {code} for you'],
  ['is {code}.', 'Your code is AB12CD. From 2026', 'AB12CD', 'Your code is {code}. From 2026'],
  ['Ваш код: {code}', 'Заказ 111111\nВаш  код:\n222222', '222222', 'Заказ 111111\nВаш  код:\n{code}'],
  ['.*({code})', 'Take .*(123456) or 654321', '123456', 'Take .*({code}) or 654321'],
])('the pattern "%s" tells the code in "%s"', (pattern, text, code, message) => {
  expect(codePattern.parse(pattern)).toBe(pattern);
  expect(found(text, pattern)).toEqual({ code, message });
});

test('a text that does not match the pattern, or matches it twice, is read as without a pattern', () => {
  expect(found('Your code is 482913', 'PIN: {code}')).toMatchObject({ code: '482913' });
  expect(found('PIN: 1111, PIN: 2222', 'PIN: {code}')).toBe('code_missing');
  expect(found('PIN: 111, code 2222, 3333', 'PIN: {code}')).toBe('code_missing');
});

test.each([
  ['PIN', /\{code\} once/],
  ['{code} or {code} here', /\{code\} once/],
  ['{code}', /at least 3 characters/],
  ['# {code}', /at least 3 characters/],
  ['PIN{code}', /letter or digit next to/],
  ['{code}th one', /letter or digit next to/],
  [`${'x'.repeat(CODE_PATTERN_MAX)} {code}`, /at most 200 characters/],
  ['PIN\u0000 {code}', /control characters/],
])('the pattern "%s" is refused', (pattern, sentence) => {
  const { error } = codePattern.safeParse(pattern);
  expect(error?.issues[0]?.message).toMatch(sentence);
});

test('no text of 64 KiB takes long, whatever the pattern', async () => {
  const patterns = [
    `${'a '.repeat(90)}{code}`,
    `x${' '.repeat(150)}y {code}`,
    `{code} ${'9999 '.repeat(38)}x`,
  ];
  const texts = ['a ', ' ', '9999 ', 'AAAA', '0', 'x   ', '9999999999 '].map((piece) =>
    piece.repeat(65_536 / piece.length),
  );
  for (const pattern of patterns)
    for (const text of texts) await expectQuick(pattern, () => found(text, pattern));
});
