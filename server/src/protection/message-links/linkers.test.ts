import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { LinkifyIt } from 'linkify-it';
import { expect, test } from 'vitest';
import { linkedHosts } from './links.ts';

/**
 * Two programs that make links of plain text: Android, by the facts of its `Patterns.AUTOLINK_WEB_URL`, and linkify-it. Every host
 * that one of them links must be found, or a domain that contains it.
 */
const TOP_LEVEL = ['com', 'de', 'ws', 'shop', 'info', 'рф', '中国'];

/** Letters, digits, and nearly everything outside of ASCII apart from spaces. */
const UCS =
  '[[\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}]--[\\u{A0}\\u{2000}-\\u{200A}\\u{2028}\\u{2029}\\u{202F}\\u{3000}]]';
const EDGE = `[a-zA-Z0-9${UCS}]`;
const LABEL = `${EDGE}(?:[a-zA-Z0-9${UCS}_\\-]{0,61}${EDGE})?`;
/** The boundary of a word in Unicode. */
const WORD = '[\\p{Alphabetic}\\p{M}\\p{N}\\p{Pc}]';
const BOUNDARY = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD})|$|^)`;
const OCTET = '(?:25[0-5]|2[0-4]\\d|[01]\\d{2}|[1-9]\\d|[0-9])';
const ADDRESS = `${OCTET}(?:\\.${OCTET}){3}`;
const PATH = `(?:[\\/?](?:[a-zA-Z0-9${UCS};\\/?:@&=#~\\-.+!*'\\(\\),_$]|%[a-fA-F0-9]{2})*)?`;
const AFTER_HOST = `(?::\\d{1,5})?${PATH}${BOUNDARY}`;
const WITH_PROTOCOL = `${BOUNDARY}(?:https?|rtsp|ftp):\\/\\/(?:[a-zA-Z0-9$\\-_.+!*'\\(\\),;?&=:]{1,64}@)?(${LABEL}(?:\\.(?=\\S)${LABEL})*\\.?|${ADDRESS})?${AFTER_HOST}`;
const WITHOUT_PROTOCOL = `${BOUNDARY}(?<!:\\/\\/)((?:${LABEL}\\.)+(?:${TOP_LEVEL.join('|')}|xn--[\\w\\-]{0,58}\\w)|${ADDRESS})${AFTER_HOST}`;
const AUTOLINK_WEB_URL = new RegExp(`${WITH_PROTOCOL}|${WITHOUT_PROTOCOL}`, 'giv');

const byAndroid = (text: string): string[] =>
  [...text.matchAll(AUTOLINK_WEB_URL)].flatMap(([, relaxed, strict]) => relaxed ?? strict ?? []);

const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyIP: true, tlds: TOP_LEVEL });
const byLinkifyIt = (text: string): string[] =>
  (linkify.match(text) ?? []).flatMap(({ schema, url }) =>
    schema === 'mailto:'
      ? url.slice(url.lastIndexOf('@') + 1)
      : (/^(?:[a-z]*:)?\/\/([^:/?#]+)/i.exec(url)?.[1] ?? []),
  );

/**
 * A host in punycode. Undefined if no domain can have that name: those have a top-level domain that exists, no punctuation, and no
 * hyphen at an edge of the label before it.
 */
function existing(host: string): string | undefined {
  const name = host.replace(/\.+$/, '');
  if (/[^\P{P}.\-_]/u.test(name)) return undefined;
  const ascii = domainToASCII(name);
  if (!ascii.split('.').every((label) => label !== '' && label.length <= 63)) return undefined;
  if (/(?:^|\.)(?:-[^.]*|[^.]*-)\.[^.]+$/.test(ascii)) return undefined;
  const isDomain =
    TOP_LEVEL.some((top) => ascii.endsWith(`.${domainToASCII(top)}`)) || /^\d+(\.\d+){3}$/.test(name);
  return isDomain ? ascii : undefined;
}

const missed = (text: string): string[] => {
  const found = linkedHosts(text);
  return [...byAndroid(text), ...byLinkifyIt(text)]
    .flatMap((host) => existing(host) ?? [])
    .filter((host) => !found.some((one) => host === one || host.endsWith(`.${one}`)));
};

test.each([
  ['a symbol', 'bank-login.com✅', 'bank-login.com'],
  ['a trade mark', 'evil.com™', 'evil.com'],
  ['a hyphen', 'evil.com-', 'evil.com'],
  ['an underscore', 'evil.com_x', 'evil.com'],
  ['a foreign letter', 'evil.comé', 'evil.com'],
  ['a letter of another script', 'evil.com中', 'evil.com'],
  ['a combining mark', 'evil.com\u0301', 'evil.com'],
  ['a dollar sign', 'evil.com$', 'evil.com'],
  ['a word after a full stop', 'evil.com.Your code', 'evil.com'],
  ['an invisible character in it and another', 'ev\u200Bil.com\u200Bx', 'evil.com'],
  ['a top-level domain in other letters', 'evil.com.\uFB01', 'evil.com'],
  ['another full stop', 'evil.com\uFF0Ey', 'evil.com'],
  ['a symbol after a Cyrillic domain', 'пример.рф✅', 'xn--e1afmkfd.xn--p1ai'],
  ['a number after an address', '203.0.113.7.1', '203.0.113.7'],
])('%s beside a domain does not hide it', (_, text, host) => {
  for (const whole of [text, `Log in at ${text} now`, `(${text})`, `https://${text}`])
    expect(linkedHosts(whole)).toContain(host);
});

test.each([
  ['a hyphen', '-evil.com', 'evil.com'],
  ['an underscore', '_evil.com', 'evil.com'],
  ['a symbol', '✅evil.com', 'evil.com'],
  ['a symbol in its label', 'pay✅evil.com', 'evil.com'],
  ['a combining mark', '\u0301evil.com', 'evil.com'],
  ['a label that ends with a hyphen', 'foo-.evil.com', 'evil.com'],
  ['a label that is too long', `${'a'.repeat(60)}-evil-evil.com`, 'evil-evil.com'],
  ['a name and an @', 'http://evil.com@example.com/', 'evil.com'],
  ['a quotation mark', '“evil.com”', 'evil.com'],
  ['another full stop', 'x\uFF0Eevil.com', 'evil.com'],
  ['a name with a one dot leader', 'x\u2024evil.com', 'evil.com'],
  ['a port', 'a.de:12.evil.com', 'evil.com'],
  ['a scheme that is a part of an earlier link', 'https://https://my-evil.com', 'evil.com'],
  ['an underscore after a symbol', 'x✅_my-evil.com', 'evil.com'],
  ['a scheme that Android does not know', 'app://my-evil.com', 'evil.com'],
])('%s before a domain does not hide it', (_, text, host) => {
  for (const whole of [text, `Log in at ${text} now`, `(${text})`])
    expect(linkedHosts(whole)).toContain(host);
});

test.each([
  ['www.bücher.de', ['www.xn--bcher-kva.de']],
  ['my.shop-info.com', ['my.shop-info.com']],
  ['“example.com”', ['example.com']],
  ['i❤.ws', ['xn--i-7iq.ws']],
  ['Ваш код 123456.Русский', []],
  ['Use it.Thanks', []],
])('"%s" has no other hosts than its own', (text, hosts) => {
  expect(linkedHosts(text)).toEqual(hosts);
});

const PIECES = [
  ...[
    'evil',
    'a',
    'x1',
    '7',
    'com',
    'de',
    'shop',
    'рф',
    '中国',
    '中',
    'é',
    'ß',
    'm\u0301',
    '\u0301',
    'xn--p1ai',
    '203.0.113.7',
  ],
  ...[
    '.',
    '.',
    '.',
    '.',
    '../..',
    '-',
    '_',
    ' ',
    '@',
    '/',
    ':',
    '://',
    'http://',
    'ftp://',
    '//',
    'mailto:',
    '?',
    '#',
    '%',
    '\n',
  ],
  ...[
    '✅',
    '™',
    '❤️',
    '👩‍💻',
    '$',
    '+',
    '=',
    '~',
    '^',
    '|',
    '<',
    '“',
    '”',
    '…',
    '(',
    ')',
    ',',
    '·',
    '\u00AD',
    '\u200B',
    '\u200B',
    '\u2024',
    '\uFF0E',
    '\uFB01',
    ':12',
    'a'.repeat(61),
  ],
];

test('a host that Android or linkify-it links is found in any text', () => {
  const piece = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }) },
  );
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (one) => {
      expect(missed(one)).toEqual([]);
    }),
    { numRuns: 3_000, seed: 31, examples: [['evil.com'], ['a.evil.com✅x']] },
  );
});
