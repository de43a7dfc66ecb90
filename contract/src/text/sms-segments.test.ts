import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCode, renderSms, smsSegments, smsSize, smsTooLong } from './sms-segments.ts';

const size = (text: string) => {
  const { segments, encoding } = smsSize(text);
  return [segments, encoding];
};

describe('SMS segments', () => {
  it.each([
    [160, 1],
    [161, 2],
    [306, 2],
    [307, 3],
  ])('%i GSM-7 characters take %i SMS segments', (length, segments) => {
    expect(size('a'.repeat(length))).toEqual([segments, 'GSM-7']);
  });

  it.each([
    [70, 1],
    [71, 2],
    [134, 2],
    [135, 3],
  ])('%i non-GSM-7 characters take %i SMS segments', (length, segments) => {
    expect(size('ж'.repeat(length))).toEqual([segments, 'UCS-2']);
  });

  it('a GSM-7 extension character counts twice and is never split between SMS segments', () => {
    expect(size('€'.repeat(80))).toEqual([1, 'GSM-7']);
    expect(size(`${'€'.repeat(80)}a`)).toEqual([2, 'GSM-7']);
    expect(size(`${'a'.repeat(152)}€${'a'.repeat(151)}`)).toEqual([2, 'GSM-7']);
    expect(size(`${'a'.repeat(152)}€${'a'.repeat(152)}`)).toEqual([3, 'GSM-7']);
  });

  it('SMS segments never split a surrogate pair', () => {
    expect(size('😀'.repeat(35))).toEqual([1, 'UCS-2']);
    expect(size('😀'.repeat(66))).toEqual([2, 'UCS-2']);
    expect(size('😀'.repeat(67))).toEqual([3, 'UCS-2']);
    expect(size(`${'a'.repeat(66)}😀${'b'.repeat(66)}`)).toEqual([3, 'UCS-2']);
  });

  it('every combining mark of a letter counts towards SMS segments', () => {
    expect(size(`a${'\u0301'.repeat(300)}`)).toEqual([5, 'UCS-2']);
    expect(smsSize(`a${'\u0301'.repeat(300)}`).characters).toBe(1);
  });

  it('no character is replaced by a similar one to save SMS segments', () => {
    for (const quote of ['‘', '’', '“', '”', '–', '…', '\u00a0', '`', 'ç'])
      expect(size(quote)).toEqual([1, 'UCS-2']);
    expect(size('@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&\'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà^{}\\[~]|€')).toEqual([
      1,
      'GSM-7',
    ]);
  });

  it('a text never takes fewer SMS segments than its bytes need', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const isShort = text.length <= 70;
        const least = /^[ -_a-z]*$/.test(text) || isShort ? 1 : Math.ceil(text.length / 67);
        expect(smsSegments(text)).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a text with too many segments', () => {
  it('the error for too many SMS segments states their number', () => {
    expect(smsTooLong('a'.repeat(306), 2)).toBeUndefined();
    expect(smsTooLong('a'.repeat(307), 2)).toBe(
      'This message takes 3 SMS segments with its code; at most 2 are allowed.',
    );
    expect(smsTooLong('a'.repeat(161), 1)).toBe(
      'This message takes 2 SMS segments with its code; at most 1 is allowed.',
    );
  });

  it('the error for too many SMS segments lists each non-GSM-7 character once', () => {
    expect(smsTooLong(`${'Grüße 👋🏽 ’'.repeat(20)}`, 2)).toBe(
      'This message takes 4 SMS segments with its code; at most 2 are allowed. A segment holds fewer characters because of “👋🏽”, “’”.',
    );
    expect(smsTooLong(`\u00a0\u202e\u200b${'абвгдеж'.repeat(20)}`, 2)).toBe(
      'This message takes 3 SMS segments with its code; at most 2 are allowed. A segment holds fewer characters because of U+00A0, U+202E, U+200B, “а”, “б” and others.',
    );
  });

  it('every {code} counts towards SMS segments', () => {
    expect(smsSegments(renderSms('{code}'.repeat(20), anyCode(8)))).toBe(1);
    expect(smsSegments(renderSms('{code}'.repeat(21), anyCode(8)))).toBe(2);
  });
});
