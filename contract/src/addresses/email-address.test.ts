import { describe, expect, test } from 'vitest';
import { email } from '../field.ts';
import { canonicalEmail } from './email-address.ts';

describe('an e-mail address', () => {
  test.each([
    ['jane@example.com', 'jane@example.com'],
    ['Jane.Doe+shop@Example.COM', 'jane.doe+shop@example.com'],
    ['a=b@example.com', 'a=b@example.com'],
    ['r&d@example.com', 'r&d@example.com'],
    ['dept/team@example.com', 'dept/team@example.com'],
    ['#1!@example.com', '#1!@example.com'],
    ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ['jane@m\u00fcller.example', 'jane@xn--mller-kva.example'],
    ['jane@M\u00dcLLER.example', 'jane@xn--mller-kva.example'],
    ['jane@xn--mller-kva.example', 'jane@xn--mller-kva.example'],
    ['jane@\u4f8b\u3048.\u30c6\u30b9\u30c8', 'jane@xn--r8jz45g.xn--zckzah'],
    ['jane@\u043f\u043e\u0447\u0442\u0430.\u0440\u0444', 'jane@xn--80a1acny.xn--p1ai'],
    ['jane@a-b.example', 'jane@a-b.example'],
  ])('the e-mail address %s is valid and normalized', (text, spelling) => {
    expect(canonicalEmail(text)).toBe(spelling);
    expect(canonicalEmail(spelling)).toBe(spelling);
    expect(email.parse(` ${text} `)).toBe(spelling);
  });

  test.each([
    'jane',
    '@example.com',
    'jane@',
    '=?utf-8?q?jane=40bank.example=3e=00?=x@example.com',
    '=?x?B?x?=@example.com',
    'jane@localhost',
    'jane@example',
    'jane@example.c',
    'jane@-a.example',
    'jane@a-.example',
    'jane@a..example',
    'jane@.example.com',
    'jane@example.com.',
    'jane@127.0.0.1',
    'jane@1.2',
    'jane@[127.0.0.1]',
    'jane@[IPv6:::1]',
    '.jane@example.com',
    'jane.@example.com',
    'ja..ne@example.com',
    'jane doe@example.com',
    '"jane doe"@example.com',
    'jane@doe@example.com',
    'j\u00e4ne@example.com',
    'mi\u212ae@example.com',
    'm\u0130ke@example.com',
    'jane@\u212aale.example',
    'jane@\u0130ris.example',
    '\uff4aane@example.com',
    'jane\uff20example.com',
    'jane@exam ple.com',
    'jane@example.com/x',
    'jane@example.com?x',
    'jane@example.com:25',
    'jane@user:x@example.com',
    'jane@exa%6dple.com',
    'jane@example.com\r\nBcc: eve@example.com',
    'jane,eve@example.com',
    'Jane <jane@example.com>',
    `${'j'.repeat(65)}@example.com`,
    `jane@${'a'.repeat(64)}.example`,
    `jane@${`${'a'.repeat(60)}.`.repeat(4)}example`,
  ])('the e-mail address %s is refused', (text) => {
    expect(canonicalEmail(text)).toBeUndefined();
    expect(email.safeParse(text).success).toBe(false);
  });

  test('a missing e-mail address gets one error', () => {
    expect(email.safeParse('').error?.issues.map(({ message }) => message)).toEqual([
      'This field is required.',
    ]);
    expect(email.safeParse('x').error?.issues).toHaveLength(1);
  });

  test('an e-mail address with a non-ASCII letter before the @ is refused, even if its lower case is ASCII', () => {
    const accepted: string[] = [];
    for (let point = 0x80; point < 0x1_f000; point += 1)
      if (canonicalEmail(`a${String.fromCodePoint(point)}b@example.com`)) accepted.push(point.toString(16));
    expect(accepted).toEqual([]);
  });

  test('an e-mail domain with a non-ASCII letter whose lower case is ASCII is refused', () => {
    for (let point = 0x80; point < 0x1_f000; point += 1) {
      const letter = String.fromCodePoint(point);
      if (!/[\p{L}]/u.test(letter) || !/[a-z]/.test(letter.toLowerCase())) continue;
      expect(canonicalEmail(`jane@a${letter}b.example`), point.toString(16)).toBeUndefined();
    }
  });
});
