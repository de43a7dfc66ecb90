import { expect, test } from 'vitest';
import { occurrences } from './checkout.ts';
import { listed } from './listed.ts';

test('each listed fault changes a text that occurs exactly once in its file, and names a promise', () => {
  expect(listed.filter((one) => occurrences(one) !== 1)).toEqual([]);
  expect(listed.filter(({ find, replace, promise }) => find === replace || promise === '')).toEqual([]);
});
