import { expect, test } from 'vitest';
import { FILE_ROWS_MAX, rowsOfFile } from './known-file.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

test.each([
  [
    'names in any order',
    'date;name;Phone\n2026-11-01;"Zoë; B";+14155550100\n',
    [{ row: 2, recipient: '+14155550100', verified_at: '2026-11-01' }],
  ],
  [
    'no names',
    "+14155550100,2026-11-01\r\n\r\n'+14155550101\r\n",
    [
      { row: 1, recipient: '+14155550100', verified_at: '2026-11-01' },
      { row: 2, recipient: '+14155550101' },
    ],
  ],
  [
    'carriage returns, tabs and a line break in a name',
    'email\tname\tdate\ra@example.com\t"A\r\nB"\t2026-11-01\rb@example.com\r',
    [
      { row: 2, recipient: 'a@example.com', verified_at: '2026-11-01' },
      { row: 3, recipient: 'b@example.com' },
    ],
  ],
  [
    'a byte order mark and quotes',
    '\uFEFF"email"\n"a""b@example.com"',
    [{ row: 2, recipient: 'a"b@example.com' }],
  ],
  [
    'a number and an address',
    'phoneNumber,email\n+14155550100,a@example.com\n,\n',
    [
      { row: 2, recipient: '+14155550100' },
      { row: 2, recipient: 'a@example.com' },
      { row: 3, recipient: '' },
    ],
  ],
])('rows are read from CSV with %s', (_, text, rows) => {
  expect(rowsOfFile(utf8(text))).toEqual(rows);
});

test('phone numbers and verified addresses are read from an export of Firebase', () => {
  const users = [
    {
      localId: 'a',
      phoneNumber: '+14155550100',
      lastSignedInAt: '1764000000000',
      createdAt: '1700000000000',
    },
    { localId: 'b', email: 'b@example.com', emailVerified: false },
    { localId: 'c', email: 'c@example.com', emailVerified: true, createdAt: '1764000000001' },
    null,
  ];
  expect(rowsOfFile(utf8(JSON.stringify({ users })))).toEqual([
    { row: 1, recipient: '+14155550100', verified_at: '1764000000000' },
    { row: 3, recipient: 'c@example.com', verified_at: '1764000000001' },
  ]);
});

test('bytes of another encoding spoil only their row, and UTF-16 is read', () => {
  const mixed = new Uint8Array([...utf8('email\nzo'), 0xeb, ...utf8('@example.com\na@example.com\n')]);
  expect(rowsOfFile(mixed).map(({ recipient }) => recipient)).toEqual([
    'zo\uFFFD@example.com',
    'a@example.com',
  ]);
  const utf16 = new Uint8Array([
    0xff,
    0xfe,
    ...[...'email\na@b.de'].flatMap((one) => [one.charCodeAt(0), 0]),
  ]);
  expect(rowsOfFile(utf16)).toEqual([{ row: 2, recipient: 'a@b.de' }]);
});

test.each([
  ['', 'The file has no rows.'],
  ['{', 'The file is not valid JSON.'],
  ['{"a": 1}', 'The file has no list of users. Export it with firebase auth:export.'],
  ['x\n'.repeat(FILE_ROWS_MAX + 1), 'The file has 100,001 rows. Import at most 100,000 at once.'],
])('a file that cannot be read is refused with a sentence', (text, message) => {
  expect(() => rowsOfFile(utf8(text))).toThrow(message);
});
