import { expect, test } from 'vitest';
import { aroundCode, bodyOf } from './MessageCard.tsx';

test('the code of a message is found in writing and as a voice reads it', () => {
  expect(aroundCode('Your code: 066412.', '066412')).toEqual({
    before: 'Your code: ',
    code: '066412',
    after: '.',
  });
  expect(aroundCode('Your code is 1, 2, 3, 4.', '1234')).toEqual({
    before: 'Your code is ',
    code: '1, 2, 3, 4',
    after: '.',
  });
  expect(aroundCode('The text is hidden.', '1234')).toBeUndefined();
});

test('the text of an email does not repeat its subject', () => {
  const text = 'Confirm your email address\n\nYour code: 066412';
  expect(bodyOf(text, 'Confirm your email address for Sixdigit')).toBe('Your code: 066412');
  expect(bodyOf(text, 'Your code')).toBe(text);
  expect(bodyOf(text, null)).toBe(text);
  expect(bodyOf('Your code', 'Your code')).toBe('Your code');
});
