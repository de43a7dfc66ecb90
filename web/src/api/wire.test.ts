import { expect, test } from 'vitest';
import { asPage } from './list.ts';
import { ApiError } from './wire.ts';

test('an error carries the sentence, the reason and the field errors of the response', () => {
  const error = new ApiError(400, {
    error: 'No',
    reason: 'invalid_code',
    email: ['Wrong', 'Long'],
    retry_after: 3,
  });
  expect(error).toMatchObject({ message: 'No', error: 'No', reason: 'invalid_code', status: 400 });
  expect(error.fields).toEqual({ email: ['Wrong', 'Long'] });
  expect(error.facts.retry_after).toBe(3);
});

test.each([undefined, null, 'text', { error: 7 }])('a response without a sentence has none: %j', (body) => {
  expect(new ApiError(502, body).error).toBeUndefined();
  expect(new ApiError(0, body).message).toBe('The service could not be reached');
});

test('a plain array is cut into pages like a paged response', () => {
  const all = Array.from({ length: 25 }, (_, index) => index);
  expect(asPage(all, 3)).toEqual({ results: [20, 21, 22, 23, 24], count: 25 });
  expect(asPage({ results: [7], count: 31 }, 4)).toEqual({ results: [7], count: 31 });
});
