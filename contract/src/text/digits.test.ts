import { describe, expect, test } from 'vitest';
import { verificationCode } from '../field.ts';
import { enteredCode } from '../otp-fields.ts';
import { asciiDigits, codeText } from './digits.ts';

/** How the digits of 042917 arrive from phones, keyboards and other programs. */
const written = (digit: (value: number) => string, between = ''): string =>
  [0, 4, 2, 9, 1, 7].map(digit).join(between);
const inScript = (zero: number) => written((value) => String.fromCodePoint(zero + value));

const DRESSES: [string, string][] = [
  ['plain', '042917'],
  ['full-width', inScript(0xff10)],
  ['Arabic', inScript(0x0660)],
  ['Persian', inScript(0x06f0)],
  ['Devanagari', inScript(0x0966)],
  ['Bengali', inScript(0x09e6)],
  ['Thai', inScript(0x0e50)],
  ['Khmer', inScript(0x17e0)],
  ['Adlam', inScript(0x1e950)],
  ['mathematical bold', inScript(0x1d7ce)],
  ['monospace', inScript(0x1d7f6)],
  ['segmented', inScript(0x1fbf0)],
  ['superscript', '⁰⁴²⁹¹⁷'],
  ['subscript', '₀₄₂₉₁₇'],
  ['circled', '⓪④②⑨①⑦'],
  ['double circled', '⓿⓸⓶⓽⓵⓻'],
  ['negative circled', '⓿❹❷❾❶❼'],
  ['sans-serif circled', '🄋➃➁➈➀➆'],
  ['negative sans-serif circled', '🄌➍➋➒➊➐'],
  ['parenthesised', '0⑷⑵⑼⑴⑺'],
  ['keycaps', written((value) => `${value}\ufe0f\u20e3`)],
  ['of mixed scripts', '０٤२9¹７'],
  ['spaces', ' 042 917\n'],
  ['no-break and thin spaces', '042\u00a0\u2009917'],
  ['an ideographic space', '042\u3000917'],
  ['dashes', '042-917'],
  ['every dash', '0-4‑2–9—1―7'],
  ['a full-width dash', '042－917'],
  ['dots', '042.917.'],
  ['quotes', '“042917”'],
  ['brackets', '[042917]'],
  ['a colon', ': 042917'],
  ['zero-width spaces', written(String, '\u200b')],
  ['joiners', '042\u200d\u200c917'],
  ['a byte order mark', '\ufeff042917'],
  ['direction marks', '\u200e\u2066042917\u2069\u200f'],
  ['an embedding', '\u202a042917\u202c'],
  ['soft hyphens', '042\u00ad917'],
  ['a word joiner', '042\u2060917'],
  ['variation selectors', written((value) => `${value}\ufe0e`)],
  ['combining marks', written((value) => `${value}\u0332`)],
  ['a Hangul filler', '\u3164042917\u115f'],
  ['a Mongolian separator', '042\u180e917'],
  ['tags', '042917\u{e0030}\u{e007f}'],
  ['a blank Braille pattern', '042\u2800917'],
  ['an object replacement', '\ufffc042917'],
  ['control characters', '042917\0\u0085'],
];

describe('a code', () => {
  test.each(DRESSES)(
    'a code with %s is read as its digits by the API and every field: %j',
    (_dress, text) => {
      expect(codeText(text)).toBe('042917');
      expect(enteredCode.parse(text)).toBe('042917');
      expect(verificationCode.parse(text)).toBe('042917');
    },
  );

  test('a code is read with any invisible characters and separators around it', () => {
    const around = /^[\p{Z}\p{P}\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;
    for (let point = 0; point < 0x1_1000; point += 1) {
      const character = String.fromCodePoint(point);
      // Compatibility mappings of some marks and punctuation contain letters or symbols, such as “№” or “⁒”.
      if (!around.test(character) || character.normalize('NFKC') !== character) continue;
      expect(codeText(`042${character}917`), `U+${point.toString(16)}`).toBe('042917');
    }
  });

  test.each([
    'O42917',
    '½42917',
    '042917€',
    '+042917',
    '1e5',
    'Ⅳ42917',
    '四二九一七',
    '042917✓',
    '\ue000042917',
  ])('a code with a letter or a symbol is refused: %j', (text) => {
    expect(codeText(text)).not.toMatch(/^\d+$/);
    expect(verificationCode.safeParse(text).success).toBe(false);
  });

  test('a code of blanks and invisible characters counts as missing', () => {
    for (const text of ['', ' ', '\u200b\u20e3', '\u3164'])
      expect(verificationCode.safeParse(text).error?.issues[0]?.message).toBe('This field is required.');
  });
});

test('every Unicode decimal digit has its value', () => {
  let digits = 0;
  for (let point = 0; point < 0x2_0000; point += 1) {
    const character = String.fromCodePoint(point);
    if (!/\p{Nd}/u.test(character)) continue;
    expect(asciiDigits(character), `U+${point.toString(16)}`).toMatch(/^[0-9]$/);
    expect(Number(asciiDigits(character))).toBe(digits % 10);
    digits += 1;
  }
  expect(digits % 10).toBe(0);
});
