import { describe, expect, test } from 'vitest';
import { editPhone, formatPhone, northAmericanText, pastePhone, phoneWarning } from './phone-text.ts';

/** Types each character at the caret, as a browser does. */
function type(text: string, from = { value: '', caret: 0 }) {
  let field = from;
  for (const character of text) {
    if (field.value.length >= 14) break;
    const typed = field.value.slice(0, field.caret) + character + field.value.slice(field.caret);
    field = editPhone(field.value, typed, field.caret + 1, 'insertText');
  }
  return field;
}

/** Replaces the characters from `start` to `end`, or deletes them. */
const replace = (value: string, start: number, end: number, text: string) =>
  editPhone(
    value,
    value.slice(0, start) + text + value.slice(end),
    start + text.length,
    text === '' ? 'deleteContentBackward' : 'insertText',
  );

describe('a phone number that is typed', () => {
  test.each([
    ['4', '4'],
    ['4155', '(415) 5'],
    ['415555', '(415) 555'],
    ['4155552671', '(415) 555-2671'],
    ['14155552671', '(415) 555-2671'],
    ['+14155552671', '(415) 555-2671'],
    ['1 415 555 2671', '(415) 555-2671'],
  ])('the phone field formats the typed %s as %s and keeps the caret at the end', (typed, value) => {
    expect(type(typed)).toEqual({ value, caret: value.length });
  });
});

describe('an edit in the middle', () => {
  const whole = '(415) 555-2671';

  test('replacing a digit of a phone number keeps the caret at that digit', () => {
    expect(replace(whole, 1, 2, '9')).toEqual({ value: '(915) 555-2671', caret: 2 });
    expect(replace(whole, 11, 12, '9')).toEqual({ value: '(415) 555-2971', caret: 12 });
  });

  test('deleting the first digit of a phone number does not turn the rest into a country code', () => {
    const deleted = replace(whole, 1, 2, '');
    expect(deleted).toEqual({ value: '(155) 552-671', caret: 1 });
    expect(type('9', deleted)).toEqual({ value: '(915) 555-2671', caret: 2 });
  });

  test('deleting a bracket or dash of a phone number deletes the digit next to it', () => {
    expect(replace('(415) 555-26', 9, 10, '')).toEqual({ value: '(415) 552-6', caret: 8 });
    expect(editPhone('(415) 555-26', '(415) 55526', 9, 'deleteContentForward')).toEqual({
      value: '(415) 555-6',
      caret: 9,
    });
    expect(editPhone('(415) 5', '415) 5', 0, 'deleteContentBackward')).toEqual({
      value: '(415) 5',
      caret: 1,
    });
  });

  test('removing the last digits of a phone number keeps the caret at the end', () => {
    expect(replace('(415) 5', 6, 7, '')).toEqual({ value: '415', caret: 3 });
  });
});

describe('a pasted number', () => {
  test.each([
    '4155552671',
    '+1 415 555 2671',
    '1-415-555-2671',
    '001 415 555 2671',
    ' (415) 555-2671 ',
    '(+1) 415 555 2671',
    '++1 415 555 2671',
    'tel:+1-415-555-2671',
    '011 1 415 555 2671',
    '４１５５５５２６７１',
    '\u202a+14155552671\u202c',
  ])('the pasted whole number %j replaces the text of the phone field', (pasted) => {
    expect(pastePhone('(212) 5', pasted, 7, 7)?.value).toBe('(415) 555-2671');
  });

  test('a pasted part of a phone number is inserted at the caret', () => {
    expect(pastePhone('(415) 71', '55526', 6, 6)).toEqual({ value: '(415) 555-2671', caret: 12 });
  });

  test.each([
    '+44 20 7946 0958',
    '0044 20 7946 0958',
    '(+44) 20 7946 0958',
    '011 44 20 7946 0958',
    'tel:+442079460958',
  ])('a pasted number of another country is refused: %s', (pasted) => {
    expect(pastePhone('', pasted, 0, 0)).toBeUndefined();
  });
});

test('a stored phone number with its country code is formatted', () => {
  expect(formatPhone('+14155552671')).toBe('(415) 555-2671');
  expect(formatPhone('')).toBe('');
});

test('text that cannot be a phone number shows a warning', () => {
  expect(phoneWarning('(115) 555')).toBe('No US or Canadian area code begins with 1.');
  expect(phoneWarning('(015) 555')).toBe('No US or Canadian area code begins with 0.');
  expect(phoneWarning('(415) 155')).toBe('No US or Canadian number has 1 after the area code.');
  expect(phoneWarning('(415) 555-2671')).toBeUndefined();
  expect(phoneWarning('')).toBeUndefined();
});

test('next to a country picker, a whole phone number is formatted and any other text stays as typed', () => {
  expect(
    ['4155552671', '14155552671', '415 555-2671', '415555', '41555526712'].map(northAmericanText),
  ).toEqual(['(415) 555-2671', '(415) 555-2671', '(415) 555-2671', '415555', '41555526712']);
});
