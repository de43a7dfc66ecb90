import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { LinkifyIt } from 'linkify-it';
import { expect, test } from 'vitest';
import { firstForeignHost, hasCodeInHost, linkedHosts, listableDomain } from './links.ts';

test.each([
  ['a URL', 'Go to https://example.com/{code}.', ['example.com']],
  ['a URL in capitals', 'HTTPS://EXAMPLE.COM', ['example.com']],
  ['a URL with backslashes', 'https:\\\\example.com', ['example.com']],
  ['a bare domain', 'Go to example.com now: {code}', ['example.com']],
  ['a bare domain with a port', 'example.com:8080', ['example.com']],
  ['an internationalised domain', 'bücher.de', ['xn--bcher-kva.de']],
  ['a domain in punycode', 'https://xn--bcher-kva.de', ['xn--bcher-kva.de']],
  ['a domain with emoji', '💩.la and i❤.ws', ['xn--ls8h.la', 'xn--i-7iq.ws']],
  ['letters that browsers map', '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦', ['evil.com']],
  ['an ideographic full stop', 'evil。com', ['evil.com']],
  ['a code that completes a domain', 'shop{code}.com', ['shop123456.com']],
  ['an address of IPv4', 'http://203.0.113.7/ and 203.0.113.8', ['203.0.113.7', '203.0.113.8']],
  ['a host without dots', 'http://localhost:3000/', ['localhost']],
  ['an e-mail address', 'help@shop.co.uk', ['shop.co.uk']],
  ['the last line of an SMS that fills in codes', '{code}\n\n@example.com #{code}', ['example.com']],
])('a link is found in a message: %s', (_, text, hosts) => {
  expect(linkedHosts(text)).toEqual(hosts);
});

test.each([
  'Your verification code is: {code}',
  'Your code, e.g. for the app, is {code}. Do not share it.',
  'Version 1.2 costs 10.50. Use it.Thanks',
  'At 10:30 p.m. your code was {code}',
])('no link is found in the text "%s"', (text) => {
  expect(linkedHosts(text)).toEqual([]);
});

test.each([
  'Sign in at bank-login.{code}/x',
  'Sign in at bank.on{code} now',
  'bank.{code}LINE',
  'bank.{code}.',
  'bank\u3002{code}',
  'bank.\u200B{code}',
  'me@bank.{code}',
  'https://{code}',
  'https://{code}.example.com/',
  'shop{code}.com',
  'Code {code}.Do not share it',
])('a stored template with the code inside a host name is recognized: %s', (template) => {
  expect(hasCodeInHost(template)).toBe(true);
});

test.each([
  'Your code is {code}.',
  'Your code is {code}. Do not share it.',
  'See https://example.com/{code} or https://example.com/?code={code}.',
  '{code} is your code for Acme Inc.',
  'e.g. {code}',
  '{code}\n\n@example.com #{code}',
  'Use {code}.Thanks',
])('a stored template with the code outside of host names is not refused: %s', (template) => {
  expect(hasCodeInHost(template)).toBe(false);
});

test('a user name before an @ does not hide the host of a link', () => {
  expect(firstForeignHost('https://example.com@evil.test.com/x', ['example.com'])).toBe('evil.test.com');
});

test('an invisible character neither hides a link nor makes it look like a listed domain', () => {
  expect(firstForeignHost('ev\u200Bil.com', ['example.com'])).toBe('evil.com');
  expect(firstForeignHost('evil.com\u200B.example.com', ['example.com'])).toBe('evil.com');
  expect(firstForeignHost('evil\u00AD.com', ['example.com'])).toBe('evil.com');
});

test('a listed domain covers its subdomains, but not other domains with the same ending', () => {
  expect(firstForeignHost('https://shop.example.com', ['example.com'])).toBeUndefined();
  expect(firstForeignHost('https://notexample.com', ['example.com'])).toBe('notexample.com');
  expect(firstForeignHost('https://example.com', ['shop.example.com'])).toBe('example.com');
});

test('domains that one owner can register are listable, public suffixes and addresses are not', () => {
  expect(listableDomain(' Bücher.DE. ')).toEqual({ domain: 'xn--bcher-kva.de' });
  expect(listableDomain('me.github.io')).toEqual({ domain: 'me.github.io' });
  for (const suffix of ['co.uk', 'com', 'github.io'])
    expect(listableDomain(suffix)).toEqual({ problem: `The suffix ${suffix} belongs to many owners.` });
  for (const other of ['203.0.113.7', 'localhost', 'https://example.com', '*.example.com', 'a b', ''])
    expect(listableDomain(other)).toEqual({ problem: 'Enter a domain such as example.com.' });
});

test.each([
  'St.Petersburg 10.30 v1.2.3',
  'z.B. die App, d.h. Nr.12, Hauptstr.5, Tel.030-123456, 1.234,56 €',
  'p.ex. 10h30, av.J.-C., déc.25, 1.º',
  'EE.UU. p.ej. aquí, Sra.López, R$10.50',
  'т.е. код, и т.д., ул.Ленина д.5 кв.12, руб.50',
  'np. tj. zł.Dziękujemy, např. Kč., d.w.z. bijv. hier',
  'コードは123456です。入力してください',
  '您的验证码是123456。请勿泄露',
  '2025.12.24 18.00–20.00, 24.12.2025, Mo.–Fr. 8.00',
  'iOS 17.1, Node.js, MP3., H.264, 802.11n, 10.0.22631.4169',
  'e.g. U.S. only, Ph.D., J.R.R.Tolkien, §3.1, pp.12-13, Fig.3',
  'OK👍.Thanks, ™., ©2025., Wait…what, so..yes, ^.^',
])('no link is found in "%s", as on phones', (text) => {
  expect(linkedHosts(`Acme: ${text} {code}`)).toEqual([]);
});

test('a text with too many possible readings is refused', () => {
  const full = '✅ https://www.example.com/✅ example.com™ ｅxample.com, \u200Bexample.com。 ';
  expect(firstForeignHost(full.repeat(30).slice(0, 1_000), ['example.com', 'xn--example-ft4l.com'])).toBe(
    undefined,
  );
  const crowded = 'x.\uFB01.\u200B';
  expect(firstForeignHost(crowded.repeat(3), ['x.fi'])).toBeUndefined();
  expect(firstForeignHost(crowded.repeat(250), ['x.fi'])).toBeDefined();
});

test('links in the longest texts are found quickly', () => {
  for (const text of ['a'.repeat(1_600), 'a-'.repeat(800), ':'.repeat(1_600), 'http:'.repeat(320)])
    expect(linkedHosts(`${text}.`).length).toBeLessThan(2);
});

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
])('%s next to a domain does not hide it', (_, text, host) => {
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
])('the linked hosts in "%s" are found exactly', (text, hosts) => {
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

test('every host that Android or linkify-it would link is found in any text', () => {
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
