import { beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { fixture } from '../../../test/fixture.ts';
import { outboundPost } from './request.ts';

const receiver = fixture(startReceiver);
let body = '';
beforeAll(async () => {
  receiver.answer = () => ({ status: 500, body });
});

async function excerptOf(text: string): Promise<string> {
  body = text;
  const url = receiver.at('/answer');
  const answer = await outboundPost({ url, headers: {}, body: '{}', allowPrivate: true, timeoutMs: 5_000 });
  if (answer.kind === 'failed') throw new Error(answer.detail);
  return answer.excerpt;
}
/** A body of more than 4 KiB whose first 4 KiB end after `kept` characters of the text. */
const cutAfter = (text: string, kept: number): string => {
  const end = `No route to ${text.slice(0, kept)}`;
  return `${'. '.repeat(2048).slice(0, 4096 - end.length)}${end}${text.slice(kept)} and more`;
};

test.each([
  '+12025550121',
  '+1 202 555 0121',
  '(202) 555-0121',
  '202.555.0121',
  'sms:+12025550121',
  '"12025550121"',
])('an excerpt contains the number %s whole or not at all, wherever it ends', async (number) => {
  for (let kept = 1; kept < number.length; kept += 1)
    expect([kept, await excerptOf(cutAfter(number, kept))]).toEqual([kept, expect.not.stringMatching(/\d/)]);
  expect(await excerptOf(cutAfter(`${number}, `, number.length + 2))).toContain(number);
});

test('an excerpt contains an e-mail address whole or not at all, wherever it ends', async () => {
  const address = 'pat.doe@example.com';
  for (let kept = 1; kept < address.length; kept += 1)
    expect([kept, await excerptOf(cutAfter(address, kept))]).toEqual([
      kept,
      expect.not.stringContaining('p'),
    ]);
});

test('an answer of up to 4 KiB, or of one long word, is kept as it is', async () => {
  const whole = `${'x'.repeat(4084)} +12025550`;
  expect(await excerptOf(whole)).toBe(whole);
  expect(await excerptOf('é'.repeat(5000))).toBe('é'.repeat(2048));
});
