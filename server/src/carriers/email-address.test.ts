import { describe, expect, test } from 'vitest';
import { isAddress, parseMailbox } from './email-address.ts';

describe('a sender setting', () => {
  test.each([
    ['codes@example.com', { address: 'codes@example.com' }],
    ['  Codes <codes@example.com> ', { name: 'Codes', address: 'codes@example.com' }],
    ['"Codes, Inc." <codes@example.com>', { name: 'Codes, Inc.', address: 'codes@example.com' }],
    ['"The \\"Codes\\"" <codes@example.com>', { name: 'The "Codes"', address: 'codes@example.com' }],
    ['<codes@example.com>', { address: 'codes@example.com' }],
    ['Büro Süd <post@bücher.example>', { name: 'Büro Süd', address: 'post@bücher.example' }],
    ['no-reply@localhost', { address: 'no-reply@localhost' }],
  ])('%s is read', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  test.each([
    '',
    'codes',
    'codes@',
    '@example.com',
    'codes@example.com, eve@example.com',
    'Codes <codes@example.com>, Eve <eve@example.com>',
    'Codes, Inc. <codes@example.com>',
    'Team: codes@example.com;',
    '<@relay.example:codes@example.com>',
    'Codes <codes@example.com> (a comment)',
    'Codes <codes@example.com>\r\nBcc: eve@example.com',
    'Co\0des <codes@example.com>',
    '"open <codes@example.com>',
    'a b@example.com',
    'codes@-example.com',
    'codes..x@example.com',
  ])('%j is refused', (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });

  test('an address has at most 254 characters', () => {
    expect(isAddress(`${'a'.repeat(242)}@example.com`)).toBe(true);
    expect(isAddress(`${'a'.repeat(243)}@example.com`)).toBe(false);
  });
});
