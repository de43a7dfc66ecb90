import fc from 'fast-check';

const INJECTIONS = [
  "'; drop table accounts; --",
  "%' or '1'='1",
  '%_\\',
  '\\',
  'created_at; select pg_sleep(9)',
  'created_at desc, (select 1)',
  '--created_at',
  '-',
  'constructor',
  'a\r\nBcc: everyone@victim.test',
  'a\nX-Evil: 1',
  'a\r\n\r\n.\r\nMAIL FROM:<x@y>',
  'a@b.test\r\nBcc: c@d.test',
  '"<script>"@people.test',
  '{code}\u0000{code}',
  '\u0000',
  '\ud800',
  'x\udfffy {code}',
  '\u202e{code}',
  '{{code}} %s \\{code}',
  '١٢٣٤٥٦',
  '１２３４５６',
  '+1 415 555 0100\u0000',
  '+1415555٠١٠٠',
  '9'.repeat(400),
  '-0',
  '1e309',
  'NaN',
  '0x10',
  '2026-02-31T25:61:61Z',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01',
  'true',
  'http://[::1]:9/',
  'http://user:pass@127.0.0.1/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://\u0000/',
  'http://x'.padEnd(2048, 'y'),
  'https://xn--\ud800/',
  `whsec_${'!'.repeat(20)}`,
  'a'.repeat(5_000),
  '\u{1F468}\u200D\u{1F469}'.repeat(60),
  'e\u0301'.repeat(100),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

/** Inputs that PostgreSQL refuses, by its encoding, its sizes or its numbers. Tests try each of them in every field. */
export const WORST: readonly unknown[] = ['a\u0000b {code}', '\ud800 {code}', 'a'.repeat(5_000), 1e21];

/** Inputs that a schema refuses or that are ordinary text to it. Tests try one of them in every field, in turns. */
export const BAD: readonly unknown[] = [
  '\u0000',
  'a\r\nBcc: everyone@victim.test',
  "'; drop table accounts; -- {code}",
  '',
  null,
  [],
  {},
];

const nested = (depth: number): unknown => {
  let value: unknown = 'deep';
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { value };
  return value;
};

/** Malicious or unusual text. */
export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...INJECTIONS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  // any UTF-16 code units, including unpaired surrogates
  {
    weight: 2,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** Any JSON value, with a bias to edge cases. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      ...[null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e21, 1e308, 5e-324, [], {}, [[]], ''],
      ...[{ toString: 1 }, { length: 5 }, ['123456'], { code: '123456' }],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(40, 400, 2_000).map(nested) },
  { weight: 2, arbitrary: fc.double({ noNaN: false }) },
  { weight: 2, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
