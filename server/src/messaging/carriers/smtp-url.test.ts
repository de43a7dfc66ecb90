import { describe, expect, test } from 'vitest';
import { helloNameOf, smtpOptions } from './smtp-url.ts';

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
    ['smtps://mail.example.com', { port: 465, secure: true }],
    ['smtp://mail.example.com:2525', { port: 2525 }],
    ['smtp://u%40x:p%2Fw@mail.example.com', { auth: { user: 'u@x', pass: 'p/w' } }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025 }],
    ['smtp://mail.example.com?maxConnections=3', { maxConnections: 3 }],
    ['smtp://mail.example.com?name=otp.example.com', { name: 'otp.example.com' }],
  ])('%s', (url, expected) => {
    expect(smtpOptions(url)).toMatchObject(expected);
  });

  test('a password is sent unencrypted only if the URL allows it', () => {
    expect(smtpOptions('smtp://u:p@mail.example.com').requireTLS).toBe(true);
    expect(smtpOptions('smtp://u:p@mail.example.com?ignoreTLS=true')).toMatchObject({
      requireTLS: false,
      ignoreTLS: true,
    });
    expect(smtpOptions('smtp://u:p@127.0.0.1').requireTLS).toBe(false);
  });

  test('certificates are checked except on the local machine', () => {
    expect(smtpOptions('smtps://mail.example.com').tls?.rejectUnauthorized).toBe(true);
    expect(smtpOptions('smtps://localhost').tls?.rejectUnauthorized).toBe(false);
    expect(smtpOptions('smtps://localhost?tls.rejectUnauthorized=true').tls?.rejectUnauthorized).toBe(true);
  });

  test.each([
    'http://mail.example.com',
    'smtp://mail.example.com?debug=true',
    'smtp://mail.example.com?maxConnections=0',
    'smtp://mail.example.com?requireTLS=1',
    'smtp:///',
    'mail.example.com:25',
  ])('%s is refused', (url) => {
    expect(() => smtpOptions(url)).toThrow();
  });
});

const emailFrom = 'Acme <codes@mail.acme.example>';
test.each([
  ['https://otp.acme.example', emailFrom, 'otp.acme.example'],
  ['https://otp.acme.example:8443/x', emailFrom, 'otp.acme.example'],
  ['http://127.0.0.1:3000', emailFrom, 'mail.acme.example'],
  ['https://203.0.113.7', emailFrom, 'mail.acme.example'],
  ['http://[::1]:3000', emailFrom, 'mail.acme.example'],
  ['http://otp.internal', emailFrom, 'mail.acme.example'],
  [undefined, emailFrom, 'mail.acme.example'],
  [undefined, 'codes@bücher.example', 'xn--bcher-kva.example'],
  ['https://otp.acme.example', undefined, 'otp.acme.example'],
  ['http://localhost:3000', 'no-reply@localhost', undefined],
  [undefined, undefined, undefined],
])('with PUBLIC_URL %s and EMAIL_FROM %s is %s', (publicUrl, from, name) => {
  expect(helloNameOf({ publicUrl, emailFrom: from })).toBe(name);
  expect(smtpOptions('smtp://mail.example.com', name).name).toBe(name);
});

test('the name in EHLO is the one in SMTP_URL if it has one', () => {
  expect(smtpOptions('smtp://mail.example.com?name=a.example', 'b.example').name).toBe('a.example');
});
