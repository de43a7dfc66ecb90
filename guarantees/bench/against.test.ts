import { expect, test } from 'vitest';
import { figuresOf } from './against.ts';

test('a comparison reads the rates and the table of a run', () => {
  const output = `
sends over HTTP …
  3168/s over 1,000 accounts (refused: 3 × 503)
  4748/s on one account${' '}
sends over HTTP with and without rules on destinations, in turns …
  3019/s and 3512/s
whole lives …
  1402/s
    one hot account ÷ 1,000 accounts: 1.50 (≥ 0.95)

  one hot account ÷ 1,000 accounts                        1.50      (≥ 0.95)
  a lone send on an idle service, p50                     1.2 ms    (≤ 1.5 ms)`;
  expect([...figuresOf(output)]).toEqual([
    ['sends over HTTP, 1,000 accounts', 3168],
    ['sends over HTTP, one account', 4748],
    ['sends over HTTP with and without rules on destinations, in turns (first)', 3019],
    ['sends over HTTP with and without rules on destinations, in turns (second)', 3512],
    ['whole lives', 1402],
    ['one hot account ÷ 1,000 accounts', 1.5],
    ['a lone send on an idle service, p50', 1.2],
  ]);
});
