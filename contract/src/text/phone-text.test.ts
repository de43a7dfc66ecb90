import { describe, expect, test } from 'vitest';
import { phoneText } from '../field.ts';
import { plainPhone } from './phone-text.ts';

describe('a phone number in plain text', () => {
  test.each([
    ['+14155552671', '+14155552671'],
    ['(415) 555-2671', '(415) 555-2671'],
    ['(+1) 415 555 2671', '+1 415 555 2671'],
    ['[+1] 415 555 2671', '+1 415 555 2671'],
    ['+(1) 415 555 2671', '+1 415 555 2671'],
    ['++14155552671', '+14155552671'],
    ['+ +1 415 555 2671', '+1 415 555 2671'],
    ['＋１　４１５－５５５－２６７１', '+1 415-555-2671'],
    ['tel:+1-415-555-2671', '+1-415-555-2671'],
    ['TEL:+14155552671', '+14155552671'],
    ['tel://+14155552671', '+14155552671'],
    ['tel:4155552671;phone-context=+1', '+1 4155552671'],
    ['tel:+14155552671;phone-context=+44', '+14155552671'],
    ['tel:4155552671;phone-context=example.com', '4155552671'],
    ['tel:+14155552671;isub=12345', '+14155552671'],
    ['Mobile: +1 415 555 2671', '+1 415 555 2671'],
    ['“+1 415 555 2671”', '+1 415 555 2671'],
    ['☎ +1 415 555 2671', '+1 415 555 2671'],
    ['+1 415 555 2671.', '+1 415 555 2671'],
    ['\u202a+14155552671\u202c', '+14155552671'],
    ['+1\u00a0415\u2011555\u20132671', '+1 415-555-2671'],
    ['+1~415~555~2671', '+1 415 555 2671'],
  ])('the phone number %j is read as %j', (text, plain) => {
    expect(plainPhone(text)).toBe(plain);
    expect(plainPhone(plain)).toBe(plain);
    expect(phoneText.parse(text)).toBe(plain);
  });

  test.each([
    '1-800-FLOWERS',
    '+1 415 555 2671 ext 5',
    'tel:+14155552671;ext=5',
    '+1 415 555 2671 x5',
    '*415555267#',
    'call 4155552671 now',
  ])('text that is not part of a phone number is kept, so validation refuses it: %j', (text) => {
    expect(phoneText.safeParse(text).success).toBe(false);
  });
});
