import { describe, expect, test } from 'vitest';
import { isAddress, mailSenderName, parseMailbox } from './email-address.ts';

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
    'co\u212aes@example.com',
    'Co\u200bdes <codes@example.com>',
    'Codes\u115f <codes@example.com>',
    'Codes \ue000 <codes@example.com>',
  ])('%j is refused', (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });

  test.each([
    ['Acme Codes <codes@example.com>', 'Acme Codes'],
    ['"Acme, Inc." <codes@example.com>', 'Acme, Inc.'],
    ['codes@example.com', 'Sixdigit'],
    [undefined, 'Sixdigit'],
    // The form of the dashboard would refuse these names.
    ['A <codes@example.com>', 'Sixdigit'],
    ['codes @ Acme <codes@example.com>', 'Sixdigit'],
  ])('the default sender name with EMAIL_FROM %s is %s', (emailFrom, name) => {
    expect(mailSenderName({ brandName: 'Sixdigit', carriers: { emailFrom } })).toBe(name);
  });

  test('an address has at most 254 characters', () => {
    expect(isAddress(`${'a'.repeat(242)}@example.com`)).toBe(true);
    expect(isAddress(`${'a'.repeat(243)}@example.com`)).toBe(false);
  });
});
