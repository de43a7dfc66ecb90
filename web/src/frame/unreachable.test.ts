import { expect, test } from 'vitest';
import { ApiError } from '../api/wire.ts';
import { isMissingCode, isUnreachable, UnreachableError } from './unreachable.ts';

test.each([
  new TypeError('Failed to fetch dynamically imported module: https://example.com/assets/logs.js'),
  new Error('Unable to preload CSS for https://example.com/assets/logs.css'),
  new TypeError('Importing a module script failed.'),
  new TypeError('error loading dynamically imported module: https://example.com/assets/logs.js'),
])('the error "$message" counts as missing screen code', (error) => {
  expect(isMissingCode(error)).toBe(true);
  expect(isUnreachable(error)).toBe(true);
});

test('errors of an unreachable service count as temporary, errors of a screen do not', () => {
  expect(isUnreachable(new ApiError(0, undefined))).toBe(true);
  expect(isUnreachable(new ApiError(503, undefined))).toBe(true);
  expect(isUnreachable(new UnreachableError('The service could not be reached.'))).toBe(true);
  expect(isUnreachable(new ApiError(404, undefined))).toBe(false);
  expect(isUnreachable(new TypeError("Cannot read properties of undefined (reading 'name')"))).toBe(false);
});
