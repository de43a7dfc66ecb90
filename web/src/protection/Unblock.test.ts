import { expect, test } from 'vitest';
import { destinationOfToken } from './Unblock.tsx';

const token = (text: string): string => `${btoa(text)}.c2lnbmF0dXJl`;
const ACCOUNT = '01999999-0000-7000-8000-000000000001';

test.each([
  [token(`${ACCOUNT} prefix +1415555 1790000000000`), 'numbers that begin with +1415555'],
  [token(`${ACCOUNT} country DE 1790000000000`), 'numbers of Germany'],
  [token(`${ACCOUNT} country <b> 1790000000000`), undefined],
  [token('nothing'), undefined],
  ['%%%', undefined],
  ['', undefined],
])('the link with the token %s names the destination: %s', (given, destination) => {
  expect(destinationOfToken(given)).toBe(destination);
});
