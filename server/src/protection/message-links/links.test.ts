import { expect, test } from 'vitest';
import { firstForeignHost, linkedHosts, listableDomain } from './links.ts';

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
])('no link is found in "%s"', (text) => {
  expect(linkedHosts(text)).toEqual([]);
});

test('a name before an @ does not hide the host', () => {
  expect(firstForeignHost('https://example.com@evil.test.com/x', ['example.com'])).toBe('evil.test.com');
});

test('an invisible character neither hides a link nor lends it a listed domain', () => {
  expect(firstForeignHost('ev\u200Bil.com', ['example.com'])).toBe('evil.com');
  expect(firstForeignHost('evil.com\u200B.example.com', ['example.com'])).toBe('evil.com');
  expect(firstForeignHost('evil\u00AD.com', ['example.com'])).toBe('evil.com');
});

test('a listed domain covers its subdomains, and no domain that only ends alike', () => {
  expect(firstForeignHost('https://shop.example.com', ['example.com'])).toBeUndefined();
  expect(firstForeignHost('https://notexample.com', ['example.com'])).toBe('notexample.com');
  expect(firstForeignHost('https://example.com', ['shop.example.com'])).toBe('example.com');
});

test('domains that one owner can hold are listable, suffixes and addresses are not', () => {
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
])('no link is found in "%s", as phones do', (text) => {
  expect(linkedHosts(`Acme: ${text} {code}`)).toEqual([]);
});

test('a text with more readings than any text full of links is refused', () => {
  const full = '✅ https://www.example.com/✅ example.com™ ｅxample.com, \u200Bexample.com。 ';
  expect(firstForeignHost(full.repeat(30).slice(0, 1_000), ['example.com', 'xn--example-ft4l.com'])).toBe(
    undefined,
  );
  const crowded = 'x.\uFB01.\u200B';
  expect(firstForeignHost(crowded.repeat(3), ['x.fi'])).toBeUndefined();
  expect(firstForeignHost(crowded.repeat(250), ['x.fi'])).toBeDefined();
});

test('the longest texts take little time', () => {
  for (const text of ['a'.repeat(1_600), 'a-'.repeat(800), ':'.repeat(1_600), 'http:'.repeat(320)])
    expect(linkedHosts(`${text}.`).length).toBeLessThan(2);
});
