import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublicUnicast, targetProblem } from './address.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '198.17.255.255',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
  '2a00:1450:4001:80b::200e',
])('the address %s is public', (ip) => {
  expect(isPublicUnicast(ip)).toBe(true);
});

test.each([
  ['unspecified', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['metadata of a cloud in carrier-grade NAT', '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['metadata', '169.254.169.254'],
  ['protocol assignments', '192.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['class E', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ["a cloud's host agent", '168.63.129.16'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['loopback', '0:0:0:0:0:0:0:1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped', '::ffff:7f00:1'],
  ['IPv4-mapped', '0:0:0:0:0:ffff:a9fe:a9fe'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-compatible', '::7f00:1'],
  ['IPv4-compatible', '::8.8.8.8'],
  ['IPv4-compatible', '0:0:0:0:0:0:8.8.8.8'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64', '64:ff9b::8.8.8.8'],
  ['local NAT64', '64:ff9b:1::a00:1'],
  ['6to4', '2002:7f00:1::'],
  ['6to4', '2002:808:808::1'],
  ['Teredo', '2001::1'],
  ['protocol assignments', '2001:1ff::1'],
  ['benchmarking', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['segment routing', '5f00::1'],
  ['discard', '100::1'],
  ['dummy', '100:0:0:1::1'],
  ['unique local', 'fc00::1'],
  ['unique local, metadata', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['unassigned', '4000::1'],
  ['unassigned', '1::1'],
])('an address of the kind "%s" is not public: %s', (_kind, ip) => {
  expect(isPublicUnicast(ip)).toBe(false);
});

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f.1',
  '2130706433',
  '8.8.8.8 ',
  '8.8.8',
  '08.8.8.8',
  '[::1]',
  '2606:4700::1%1',
])('an unusual spelling of an address does not count as public: "%s"', (text) => {
  expect(isPublicUnicast(text)).toBe(false);
});

const privateAddresses = [
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];
test.each(privateAddresses)('no IPv6 spelling of %s is public', (ip) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
  const hex = (high: number, low: number) => (high * 256 + low).toString(16);
  const long = (high: number, low: number) => hex(high, low).padStart(4, '0').toUpperCase();
  const spellings = [
    `::ffff:${ip}`,
    `::FFFF:${ip}`,
    `0:0:0:0:0:ffff:${ip}`,
    `0000:0000:0000:0000:0000:FFFF:${ip}`,
    `::ffff:${hex(a, b)}:${hex(c, d)}`,
    `0000:0000:0000:0000:0000:FFFF:${long(a, b)}:${long(c, d)}`,
    `::${ip}`,
    `::ffff:0:${ip}`,
    `64:ff9b::${ip}`,
    `64:ff9b:1::${hex(a, b)}:${hex(c, d)}`,
    `2002:${hex(a, b)}:${hex(c, d)}::1`,
  ];
  expect(spellings.filter(isPublicUnicast)).toEqual([]);
  expect(
    spellings.filter((one) => targetProblem(`https://[${one}]/`, { allowPrivate: false }) === undefined),
  ).toEqual([]);
});

test('an IPv4-mapped address is public exactly when the IPv4 address is', () => {
  fc.assert(fc.property(fc.ipV4(), (ip) => isPublicUnicast(`::ffff:${ip}`) === isPublicUnicast(ip)));
});

test('no other IPv6 address that embeds an IPv4 address is public', () => {
  const group = (high: number, low: number) => (high * 256 + low).toString(16);
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
      const embedded = `${group(a, b)}:${group(c, d)}`;
      return [`::${embedded}`, `64:ff9b::${embedded}`, `64:ff9b:1::${embedded}`, `2002:${embedded}::1`].every(
        (ip) => !isPublicUnicast(ip),
      );
    }),
  );
});

test('isPublicUnicast does not throw on any text', () => {
  fc.assert(fc.property(fc.string(), (text) => !isPublicUnicast(text)));
});

const strict = { allowPrivate: false };
const development = { allowPrivate: true };
const notPublic = 'The URL must lead to a public address on the internet.';

test.each([
  'https://example.com',
  'https://example.com./hooks',
  'HTTPS://Example.COM:8443/hooks?a=b#c',
  'https://hooks.my_team.example.com/x',
  'https://bücher.example/x',
  'https://8.8.8.8/x',
  'https://[2606:4700::1111]:8443/x',
  'https://localhost.example.com/',
  'https://internal.example.com/',
])('the webhook URL %s is accepted', (url) => {
  expect(targetProblem(url, strict)).toBeUndefined();
});

test.each([
  'https://127.0.0.1/',
  'https://127.0.0.1./',
  'https://127.1/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://127%2e0%2e0%2e1/',
  'https://0/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
  'https://10.0.0.1/',
  'https://192.168.0.1:8443/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://ⓛocalhost/',
  'https://a.localhost/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://printer.local./',
  'https://nas.home.arpa/',
  'https://intranet/',
])('the webhook URL %s is refused as inside the network', (url) => {
  expect(targetProblem(url, strict)).toBe(notPublic);
});

test.each([
  ['', 'The URL must begin with https://.'],
  ['example.com/hooks', 'The URL must begin with https://.'],
  ['http://example.com/', 'The URL must begin with https://.'],
  ['https:example.com', 'The URL must begin with https://.'],
  ['file:///etc/passwd', 'The URL must begin with https://.'],
  ['javascript:alert(1)', 'The URL must begin with https://.'],
  [' https://example.com', 'The URL must not contain spaces.'],
  ['https://exa\nmple.com', 'The URL must not contain spaces.'],
  ['https://example.com/\0', 'The URL must not contain spaces.'],
  ['https://', 'Enter a valid URL.'],
  ['https:///example.com', 'Enter a valid URL.'],
  ['https://\\example.com', 'Enter a valid URL.'],
  ['https://256.1.1.1/', 'Enter a valid URL.'],
  ['https://example.com:99999/', 'Enter a valid URL.'],
  ['https://[fe80::1%25eth0]/', 'Enter a valid URL.'],
  ['https://user@example.com/', 'The URL must not contain a user name or password.'],
  ['https://:secret@example.com/', 'The URL must not contain a user name or password.'],
  ['https://a..example.com/', 'The host name in the URL is not valid.'],
  ['https://./', 'The host name in the URL is not valid.'],
  ['https://exa*mple.com/', 'The host name in the URL is not valid.'],
  [`https://${'a'.repeat(64)}.example.com/`, 'The host name in the URL is not valid.'],
])('the webhook URL %j is refused with: %s', (url, problem) => {
  expect(targetProblem(url, strict)).toBe(problem);
});

test('a webhook URL may have at most 2,048 characters', () => {
  const url = `https://example.com/${'x'.repeat(2028)}`;
  expect(targetProblem(url, strict)).toBeUndefined();
  expect(targetProblem(`${url}x`, strict)).toBe('The URL must have at most 2,048 characters.');
});

test.each([
  'http://localhost:3000/hooks',
  'http://127.0.0.1/',
  'https://[::1]:8443/',
  'http://receiver:8080/',
])('in development, the webhook URL %s is accepted', (url) => {
  expect(targetProblem(url, development)).toBeUndefined();
});

test.each([
  ['ftp://localhost/', 'The URL must begin with https:// or http://.'],
  ['http://user:secret@localhost/', 'The URL must not contain a user name or password.'],
])('in development too, the webhook URL %s is refused with: %s', (url, problem) => {
  expect(targetProblem(url, development)).toBe(problem);
});

test('targetProblem does not throw on any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), fc.boolean(), (url, allowPrivate) => {
      targetProblem(url, { allowPrivate });
    }),
    { numRuns: 50 },
  );
});
