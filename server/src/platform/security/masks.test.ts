import { expect, test } from 'vitest';
import { expectQuick } from '../../../test/linear-time.ts';
import { maskedNumbers, maskedText } from './masks.ts';

test.each([
  ['Not delivered: 14155552690 and +1 (415) 555-2690', 'Not delivered: ••••90 and +1415••••90'],
  ['https://x.test/?to=%2B14155552671&n=14155552671', 'https://x.test/?to=+1415••••71&n=••••71'],
  ['mail reader.of%40example.com or Reader@Example.com', 'mail r••%40example.com or R••@Example.com'],
  ["o'brien@example.com", 'o••@example.com'],
  ['203.0.113.100@example.com', '2••@example.com'],
  ['x14155552671y', 'x••••71y'],
  ['phone ٠١٥٥٥٥٢٦٧١', 'phone ••••71'],
  ['＋１４１５５５５２６７１ Café', '+1415••••71 Café'],
  ['reader＠example.com', 'r••@example.com'],
  ['415–555–2671', '••••71'],
  ['415\u200b555\u20602671', '••••71'],
])('a number or an address is masked in the text %j', (text, masked) => {
  expect(maskedNumbers(text)).toBe(masked);
});

test.each([
  '{"id":"0199e0a0-0000-7000-8000-000000000000","at":"2026-11-26T12:00:00.000Z"}',
  'from 203.0.113.100 at 2026-11-26 12:33:01',
  'Refused with status 503 after 10000 ms',
  '[removed]',
  'Café – ١٢٣ … ①',
])('an id, a time, a network address or a short number is not masked in the text %j', (text) => {
  expect(maskedNumbers(text)).toBe(text);
});

test('masking takes linear time for every text', async () => {
  const hostile = ['a', '1 ', '1x', 'a@', '%2b', 'a.', 'a@a.', '0000-', `a@${'b'.repeat(250)}`].flatMap(
    (part) => [part.repeat(40_000 / part.length), `1${' '.repeat(40_000)}`],
  );
  for (const text of hostile)
    await expectQuick(text, () => {
      maskedNumbers(text);
      maskedText(text);
    });
});
