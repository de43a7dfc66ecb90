import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ProfileBody } from '../accounts/accounts.ts';
import { BrandingBody } from '../accounts/branding.ts';
import { createApiKey } from '../api-keys.ts';
import { subjectLine } from '../code-message.ts';
import { createAnnouncement } from '../operator/announcements.ts';
import { reason } from '../operator/operator.ts';
import { ListEntryBody } from '../protection/shapes.ts';
import { WebhookBody } from '../webhooks.ts';
import { isVisibleText } from './visible-text.ts';

describe('a name', () => {
  test.each([
    'Acme Ltd',
    'Müller & Söhne',
    'Nguyễn Thị Hoa',
    'Zoë\u00a0Ltd',
    '株式会社\u3000葛\u{e0100}城',
    'شرکت می\u200cخواهم',
    '۵\u200cساله',
    'ශ්\u200dරී ලංකා',
    'क्\u200dष',
    'അവന്\u200d',
    'ᠮᠣᠩᠭᠣᠯ\u180b',
    'Shop 👍🏽',
    'Family 👨\u200d👩\u200d👧\u200d👦',
    '👩🏿\u200d🚀 Space',
    '🏳\ufe0f\u200d🌈',
    '👨\u200d🦰 Red',
    '❤\ufe0f',
    '1\ufe0f\u20e3 First',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '🇩🇪 GmbH',
  ])('the name %s is accepted', (text) => {
    expect(isVisibleText(text)).toBe(true);
  });

  test.each([
    ['a line break', 'a\nb'],
    ['a header', 'a\r\nBcc: x'],
    ['a NUL', 'a\0b'],
    ['a C1 control', 'a\u0085b'],
    ['an override', 'a\u202eb'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a line separator', 'a\u2028b'],
    ['a zero-width space', 'a\u200bb'],
    ['a joiner between Latin letters', 'pay\u200dpal'],
    ['a non-joiner between Latin letters', 'pay\u200cpal'],
    ['two joiners', 'می\u200c\u200cخواهم'],
    ['a joiner at the start', '\u200dخواهم'],
    ['a byte order mark', '\ufeffAcme'],
    ['a soft hyphen', 'Ac\u00adme'],
    ['a Hangul filler', '\u115f\u115f'],
    ['a half-width filler', 'Acme\uffa0'],
    ['another Hangul filler', '\u3164\u3164'],
    ['a grapheme joiner', 'Ac\u034fme'],
    ['a variation selector', 'Acme\ufe00'],
    ['tags', 'Acme\u{e0041}\u{e007f}'],
    ['private use', 'Acme \ue000'],
    ['an Apple logo', 'Acme \uf8ff'],
    ['private use of another plane', '\u{f0000}\u{100000}'],
    ['a lone surrogate', 'a\ud800b'],
    ['a noncharacter', 'a\uffffb'],
    ['an unassigned character', 'a\u0378b'],
    ['a blank Braille pattern', '\u2800\u2800'],
    ['an object replacement', 'a\ufffcb'],
    ['a replacement character', 'C\ufffddigo'],
  ])('a name with an invisible or meaningless character is refused: %s', (_what, text) => {
    expect(isVisibleText(text)).toBe(false);
  });

  test('a name with ignorable, private-use or unassigned characters is refused, alone or among letters', () => {
    const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;
    const passed: string[] = [];
    for (let point = 0; point < 0x11_0000; point += point < 0x3_2000 || point > 0xe_0000 ? 1 : 4099) {
      const character = String.fromCodePoint(point);
      // Unassigned places that Unicode keeps for emoji may be emoji of a newer version.
      if (!unseen.test(character) || /\p{Extended_Pictographic}/u.test(character)) continue;
      if (isVisibleText(`a${character}b`) || isVisibleText(`${character}${character}`))
        passed.push(point.toString(16));
    }
    expect(passed).toEqual([]);
  });
});

/** The fields that name something, or that others read as one line. */
const fields: [string, z.ZodType, (text: string) => unknown][] = [
  ['sender name', BrandingBody, (sender_name) => ({ sender_name })],
  ['default subject', BrandingBody, (default_subject) => ({ default_subject })],
  ['subject', subjectLine, (text) => text],
  ['first name', ProfileBody, (first_name) => ({ first_name })],
  ['last name', ProfileBody, (last_name) => ({ last_name })],
  ['name of a key', createApiKey.body as z.ZodType, (name) => ({ name })],
  ['name of an endpoint', WebhookBody, (name) => ({ name, url: 'https://example.com/' })],
  ['note of a list', ListEntryBody, (note) => ({ kind: 'country', value: 'US', note })],
  ['reason', reason, (text) => text],
  ['announcement', createAnnouncement.body as z.ZodType, (text) => ({ text })],
];

test.each(fields)('the %s is visible text', (_field, schema, bodyOf) => {
  expect(schema.safeParse(bodyOf('Acme 👨\u200d👩\u200d👧 می\u200cخواهم')).error?.issues).toBeUndefined();
  for (const odd of ['Acme\u115f', 'Acme\ue000', 'Ac\u200bme', 'Ac\u0378me', 'Ac\nme'])
    expect(schema.safeParse(bodyOf(odd)).success, odd).toBe(false);
});

test.each(fields)('what a mail program would decode is refused in the %s', (_field, schema, bodyOf) => {
  for (const encoded of [
    '=?utf-8?B?UGF5cGFs?=',
    '=?UTF-8?q?bank=40example.com?=',
    'Acme =?iso-8859-1*en?Q?=42ank?= Ltd',
    '=?utf-8?Q?open',
    '=??b?eA==?=',
  ])
    expect(schema.safeParse(bodyOf(encoded)).error?.issues[0]?.message, encoded).toMatch(
      /must not contain an encoded word/,
    );
  for (const plain of ['Why =? Because', 'a=?b', 'Really?= yes', 'x=?y?z?='])
    expect(schema.safeParse(bodyOf(plain)).success, plain).toBe(true);
});
