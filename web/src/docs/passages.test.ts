import { expect, test } from 'vitest';
import { excerptOf, find, type Passage, passagesOfCalls } from './passages.ts';

const place = { endpoint: 'send', id: '' } as const;
const passage = (title: string, text = '', chapter = 'Errors'): Passage => ({ title, text, chapter, place });
const titles = (passages: readonly Passage[], text: string) => find(passages, text).map(({ title }) => title);

test('the docs search finds a passage by any of its words, in any case and order', () => {
  const all = [passage('Spend limits', 'A send beyond a limit gets 402'), passage('Testing')];
  expect(titles(all, '402 LIMIT')).toEqual(['Spend limits']);
  expect(titles(all, 'errors')).toEqual(['Spend limits', 'Testing']);
  expect(titles(all, 'no such word')).toEqual([]);
});

test("the docs search ranks an exact title first, then a title's beginning, then the rest of it, then the text", () => {
  const all = [
    passage('Webhooks', 'the recipient of a message'),
    passage('Test recipient'),
    passage('recipient_limited'),
    passage('recipient'),
  ];
  expect(titles(all, 'recipient')).toEqual(['recipient', 'recipient_limited', 'Test recipient', 'Webhooks']);
});

test('the docs search shows at most twenty passages', () => {
  expect(
    find(
      Array.from({ length: 50 }, () => passage('key')),
      'key',
    ),
  ).toHaveLength(20);
});

test('the docs search finds the fields and errors of both calls, including the hidden one', () => {
  const all = passagesOfCalls();
  expect(find(all, 'client_ip')[0]).toMatchObject({
    chapter: 'Send OTP, parameter',
    place: { endpoint: 'send', id: 'sendOtp-body-client_ip' },
  });
  expect(find(all, 'invalid_code')[0]).toMatchObject({
    chapter: 'Verify OTP, error',
    place: { endpoint: 'verify', id: 'verifyOtp-error-invalid_code' },
  });
});

test('a search excerpt starts at a space shortly before the matching word', () => {
  const long = passage('Delivery', `${'word '.repeat(20)}then the signature follows`);
  expect(excerptOf(long, 'signature')).toMatch(/^… (word )+then the signature follows$/);
  expect(excerptOf(long, 'signature').length).toBeLessThan(70);
  expect(excerptOf(passage('Short', 'the signature'), 'signature')).toBe('the signature');
});
