import { createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSmtp } from '../../../../../test/fakes/smtp.ts';
import { fixture } from '../../../../../test/fixture.ts';
import type { Carrier, Message } from '../../carrier.ts';
import { isAddress, mailSenderName, parseMailbox } from '../../email-address.ts';
import { smtpCarrier } from './send.ts';
import { helloNameOf, smtpOptions } from './url.ts';

describe('a sender setting', () => {
  test.each([
    ['codes@example.com', { address: 'codes@example.com' }],
    ['  Codes <codes@example.com> ', { name: 'Codes', address: 'codes@example.com' }],
    ['"Codes, Inc." <codes@example.com>', { name: 'Codes, Inc.', address: 'codes@example.com' }],
    ['"The \\"Codes\\"" <codes@example.com>', { name: 'The "Codes"', address: 'codes@example.com' }],
    ['<codes@example.com>', { address: 'codes@example.com' }],
    ['Büro Süd <post@bücher.example>', { name: 'Büro Süd', address: 'post@bücher.example' }],
    ['no-reply@localhost', { address: 'no-reply@localhost' }],
  ])('the sender %s is accepted', (text, mailbox) => {
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
    '=?utf-8?q?Codes?= <codes@example.com>',
    '=?utf-8?q?codes?=@example.com',
  ])('the sender %j is refused', (text) => {
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
  ])('with EMAIL_FROM %s the default sender name is %s', (EMAIL_FROM, name) => {
    expect(mailSenderName({ brandName: 'Sixdigit', carriers: { settings: { EMAIL_FROM } } })).toBe(name);
  });

  test('a sender address has at most 254 characters', () => {
    expect(isAddress(`${'a'.repeat(242)}@example.com`)).toBe(true);
    expect(isAddress(`${'a'.repeat(243)}@example.com`)).toBe(false);
  });
});

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
    ['smtps://mail.example.com', { port: 465, secure: true }],
    ['smtp://mail.example.com:2525', { port: 2525 }],
    ['smtp://u%40x:p%2Fw@mail.example.com', { auth: { user: 'u@x', pass: 'p/w' } }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025 }],
    ['smtp://mail.example.com?maxConnections=3', { maxConnections: 3 }],
    ['smtp://mail.example.com?name=otp.example.com', { name: 'otp.example.com' }],
  ])('the SMTP_URL %s is accepted', (url, expected) => {
    expect(smtpOptions(url)).toMatchObject(expected);
  });

  test('the SMTP password is sent unencrypted only if the URL allows it', () => {
    expect(smtpOptions('smtp://u:p@mail.example.com').requireTLS).toBe(true);
    expect(smtpOptions('smtp://u:p@mail.example.com?ignoreTLS=true')).toMatchObject({
      requireTLS: false,
      ignoreTLS: true,
    });
    expect(smtpOptions('smtp://u:p@127.0.0.1').requireTLS).toBe(false);
  });

  test('SMTP certificates are checked except on the local machine', () => {
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
  ])('the SMTP_URL %s is refused', (url) => {
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
])('with PUBLIC_URL %s and EMAIL_FROM %s the EHLO name is %s', (publicUrl, from, name) => {
  expect(helloNameOf({ publicUrl, emailFrom: from })).toBe(name);
  expect(smtpOptions('smtp://mail.example.com', name).name).toBe(name);
});

test('a name in SMTP_URL is the EHLO name', () => {
  expect(smtpOptions('smtp://mail.example.com?name=a.example', 'b.example').name).toBe('a.example');
});

const id = '0198c0de-0000-7000-8000-000000000001';
const never = new AbortController().signal;
const message = (over: Partial<Message> = {}): Message => ({
  id,
  channel: 'email',
  recipient: 'alice@example.com',
  text: 'Your verification code is: 123456',
  html: '<p>Your verification code is: <b>123456</b></p>',
  code: '123456',
  subject: 'Your Verification Code',
  sender_name: 'Acme',
  reply_to: 'help@acme.example',
  expires_at: new Date(Date.now() + 300_000),
  ...over,
});
const connect = (url: string, timeoutMs?: number) =>
  smtpCarrier({ url, from: 'Codes <codes@sixdigit.example>', brandName: 'Sixdigit', timeoutMs });

describe('over a mail server', () => {
  const server = fixture(startSmtp);
  let carrier: Carrier;
  beforeAll(async () => {
    carrier = connect(server.url);
  });
  afterAll(async () => {
    await carrier.close?.();
  });
  const dispatch = (over: Partial<Message> = {}) => carrier.dispatch(message(over), never);

  test('a mail has a sender, reply-to, subject, both bodies and the headers of an automatic message', async () => {
    expect(await dispatch()).toEqual({
      kind: 'accepted',
      provider_message_id: `<otp.${id}@sixdigit.example>`,
    });
    const mail = await server.waitForMailTo('alice@example.com');
    expect(mail.from).toEqual({ name: 'Acme', address: 'codes@sixdigit.example' });
    expect(mail.replyTo).toEqual([{ name: '', address: 'help@acme.example' }]);
    expect(mail.to).toEqual([{ name: '', address: 'alice@example.com' }]);
    expect(mail.subject).toBe('Your Verification Code');
    expect(mail.text?.trim()).toBe('Your verification code is: 123456');
    expect(mail.html).toContain('<b>123456</b>');
    expect(mail.messageId).toBe(`<otp.${id}@sixdigit.example>`);
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    );
    expect(mail.envelope).toEqual({ from: 'codes@sixdigit.example', to: ['alice@example.com'] });
  });

  test('the sender name is that of EMAIL_FROM if the message has none', async () => {
    const { sender_name: _, ...anonymous } = message({ recipient: 'unnamed@example.com' });
    await carrier.dispatch(anonymous, never);
    expect((await server.waitForMailTo('unnamed@example.com')).from?.name).toBe('Codes');
  });

  test('a second dispatch of the same mail has the same Message-ID', async () => {
    await dispatch({ recipient: 'twice@example.com' });
    await dispatch({ recipient: 'twice@example.com' });
    const ids = server.mailsTo('twice@example.com').map((mail) => mail.messageId);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test('two codes to one person have ids of their own, and the older one the earlier date', async () => {
    const recipient = 'folded@example.com';
    const newer = '0198c0de-1000-7000-8000-000000000002';
    await dispatch({ recipient, id: newer });
    // Its first dispatch had failed.
    await dispatch({ recipient });
    const mails = server.mailsTo(recipient).map(({ headers, date }) => ({
      ref: headers.find(({ key }) => key === 'x-entity-ref-id')?.value,
      date,
    }));
    const at = (hex: string) => new Date(Math.floor(Number.parseInt(hex, 16) / 1000) * 1000).toUTCString();
    expect(mails.map(({ ref }) => ref)).toEqual([newer, id]);
    expect(mails.map(({ date }) => new Date(String(date)).toUTCString())).toEqual([
      at('0198c0de1000'),
      at('0198c0de0000'),
    ]);
  });

  test('a stored name or subject that is an encoded word arrives as it was written', async () => {
    const recipient = 'encoded@example.com';
    await dispatch({ recipient, subject: '=?utf-8?q?B=61nk?=', sender_name: '=?utf-8?B?QmFuaw==?=' });
    const mail = await server.waitForMailTo(recipient);
    expect(mail.subject).toBe('= ?utf-8?q?B=61nk?=');
    expect(mail.from?.name).toBe('= ?utf-8?B?QmFuaw==?=');
    expect(await dispatch({ recipient: '=?utf-8?q?a?=@example.com' })).toMatchObject({ final: true });
  });

  test.each([
    ['a recipient that the server does not know', 'refuse', { reason: 'recipient_refused' }],
    ['a recipient that it puts off', 'defer', { reason: 'deferred', temporary: true }],
    ['a message that it refuses after reading it', 'reject', { reason: 'message_refused' }],
    [
      'a server that closes down after reading it',
      'busy',
      { reason: 'deferred', temporary: true, rest: true },
    ],
    ['a connection that breaks before the message', 'drop', { reason: 'carrier_unreachable', rest: true }],
  ])('the mail server response "%s" is a definite refusal', async (_, behaviour, expected) => {
    const outcome = await dispatch({ recipient: `${behaviour}@example.com` });
    expect(outcome).toMatchObject({ kind: 'refused', ...expected });
    if (!('rest' in expected)) expect(outcome).not.toHaveProperty('rest');
    expect(server.mailsTo(`${behaviour}@example.com`)).toEqual([]);
  });

  test.each([
    ['silence after the whole message', 'hang', 'carrier_timeout'],
    ['a connection that breaks after the whole message', 'reset', 'carrier_reset'],
  ])('the outcome of "%s" is uncertain, and the mail is dispatched once', async (_, behaviour, reason) => {
    const impatient = connect(server.url, 2_000);
    const recipient = `${behaviour}@example.com`;
    const outcome = await impatient.dispatch(message({ recipient }), never);
    await impatient.close?.();
    expect(outcome).toMatchObject({ kind: 'uncertain', reason });
    expect(server.mailsTo(recipient)).toHaveLength(1);
  });

  test('an idle SMTP connection closed by the server causes no failure', async () => {
    await dispatch({ recipient: 'before-restart@example.com' });
    server.hangUp();
    expect(await dispatch({ recipient: 'after-restart@example.com' })).toMatchObject({ kind: 'accepted' });
    expect(server.mailsTo('after-restart@example.com')).toHaveLength(1);
  });

  test('canceling a mail is definite before the message is written and uncertain afterwards', async () => {
    expect(await carrier.dispatch(message(), AbortSignal.abort())).toMatchObject({
      kind: 'refused',
      reason: 'canceled',
    });
    const canceling = new AbortController();
    const outcome = carrier.dispatch(message({ recipient: 'hang+cancel@example.com' }), canceling.signal);
    await server.waitForMailTo('hang+cancel@example.com');
    canceling.abort();
    expect(await outcome).toMatchObject({ kind: 'uncertain', reason: 'canceled' });
  });

  test.each([
    ['subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
    ['sender name', { sender_name: 'Acme\nX: y' }],
    ['sender name with NUL', { sender_name: 'Acme\0' }],
    ['reply-to', { reply_to: 'help@acme.example\r\nBcc: eve@example.com' }],
    ['reply-to that is a list', { reply_to: 'help@acme.example, eve@example.com' }],
    ['recipient', { recipient: 'alice@example.com\r\nRCPT TO:<eve@example.com>' }],
    ['recipient that is a list', { recipient: 'alice@example.com,eve@example.com' }],
    ['recipient with a route', { recipient: '"eve@example.com"@example.org' }],
  ])('a mail with a line break or a second address in the %s is never sent', async (_, over) => {
    const before = server.mails.length;
    expect(await dispatch(over)).toMatchObject({ kind: 'refused', final: true });
    expect(server.mails).toHaveLength(before);
  });

  test('any sender name and subject of a mail arrives unchanged and adds no header', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
        async (sender_name, subject) => {
          run += 1;
          const recipient = `any${run}@example.com`;
          const outcome = await dispatch({ recipient, sender_name, subject });
          if (outcome.kind === 'refused') {
            expect(outcome.reason).toBe('invalid_header');
            return;
          }
          const mail = await server.waitForMailTo(recipient);
          const names = mail.headers.map((header) => header.key).sort();
          expect(names.filter((name) => name !== 'subject')).toEqual([
            'auto-submitted',
            'content-type',
            'date',
            'from',
            'message-id',
            'mime-version',
            'reply-to',
            'to',
            'x-auto-response-suppress',
            'x-entity-ref-id',
          ]);
          expect(mail.from?.address).toBe('codes@sixdigit.example');
          expect(mail.envelope.to).toEqual([recipient]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("the mail library's retries never send a message twice", () => {
    for (const behaviour of ['hang', 'reset', 'hang+cancel']) {
      expect(server.mailsTo(`${behaviour}@example.com`)).toHaveLength(1);
    }
  });
});

describe('failures before the message is sent', () => {
  test('a closed SMTP port is a refusal that pauses the carrier', async () => {
    const carrier = connect('smtp://127.0.0.1:1');
    const outcome = await carrier.dispatch(message(), never);
    expect(outcome).toMatchObject({ kind: 'refused', rest: true, temporary: true });
    await carrier.close?.();
  });

  test('an SMTP host that does not exist is a refusal', async () => {
    const carrier = connect('smtp://nowhere.invalid:25', 3000);
    const outcome = await carrier.dispatch(message(), never);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unreachable' });
    await carrier.close?.();
  });

  test('a mail server that never sends a greeting is a refusal', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const carrier = connect(`smtp://127.0.0.1:${port}`, 800);
    expect(await carrier.dispatch(message(), never)).toMatchObject({ kind: 'refused', rest: true });
    await carrier.close?.();
    silent.close();
  });

  test('a wrong SMTP password is a refusal that pauses the carrier and reveals no password', async () => {
    await using server = await startSmtp({ login: { user: 'codes', pass: 'right' } });
    const carrier = connect(server.url.replace('right', 'wrong-one'));
    const outcome = await carrier.dispatch(message(), never);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_unauthorized', rest: true });
    expect(JSON.stringify(outcome)).not.toMatch(/wrong-one|123456/);
    await carrier.close?.();
  });
});

describe('TLS and login', () => {
  test.each([
    ['smtps://', 'implicit'],
    ['smtp:// with a server that offers STARTTLS', 'starttls'],
  ] as const)('SMTP over %s is encrypted', async (_, tls) => {
    await using server = await startSmtp({ tls, login: { user: 'me@example', pass: 'p@ss/word' } });
    const carrier = connect(server.url, 2000);
    expect(await carrier.dispatch(message(), never)).toMatchObject({ kind: 'accepted' });
    expect(server.mails[0]).toMatchObject({ isEncrypted: true, user: 'me@example' });
    await carrier.close?.();
  });

  test.each(['implicit', 'starttls'] as const)(
    'an untrusted SMTP certificate is reported as the cause: %s',
    async (tls) => {
      await using server = await startSmtp({ tls });
      const carrier = connect(`${server.url}?tls.rejectUnauthorized=true&requireTLS=true`, 2000);
      expect(await carrier.dispatch(message(), never)).toEqual({
        kind: 'refused',
        reason: 'carrier_untrusted',
        detail: expect.stringMatching(
          /^The mail server could not be trusted: its TLS certificate (is self-signed|has expired)\.$/,
        ),
        rest: true,
        temporary: true,
      });
      await carrier.close?.();
    },
  );

  test('requireTLS refuses a mail server without TLS', async () => {
    await using server = await startSmtp();
    const carrier = connect(`${server.url}?requireTLS=true`, 2000);
    const outcome = await carrier.dispatch(message(), never);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_untrusted' });
    expect(server.mails).toEqual([]);
    await carrier.close?.();
  });
});
