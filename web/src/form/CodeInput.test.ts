import { expect, test } from 'vitest';
import { editedCode } from './CodeInput.tsx';

test.each([
  ['', '0', '0'],
  ['04', '042', '042'],
  ['', '042917', '042917'],
  ['', '042 917', '042917'],
  ['', '\u200e0\u200b4\u200b2\u200b9\u200b1\u200b7', '042917'],
  ['', '０４２９１７', '042917'],
  ['04', '04２', '042'],
  ['', '0\ufe0f\u20e34\ufe0f\u20e32\ufe0f\u20e39\ufe0f\u20e31\ufe0f\u20e37\ufe0f\u20e3', '042917'],
  ['12', '12042917', '042917'],
  ['123456', '123456042917', '042917'],
  ['12345', '1234567', '123456'],
  ['12', '12 \u200b', '12'],
  ['', 'abc', 'abc'],
])('after the code %j, the field text %j becomes the code %j', (before, text, code) => {
  expect(editedCode(before, text)).toBe(code);
});
