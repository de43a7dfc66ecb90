import { LANGUAGES } from '@sixdigit/contract/languages.ts';
import { renderSms } from '@sixdigit/contract/text/sms-segments.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callScript } from './code-texts.ts';
import { type OtpMail, renderOtpMail } from './otp-mail.ts';

const render = (over: Partial<OtpMail> = {}) =>
  renderOtpMail({
    brand: 'Sixdigit',
    supportEmail: 'support@sixdigit.example',
    senderName: 'Acme',
    subject: 'Your Verification Code',
    messageTemplate: 'Your verification code is: {code}',
    language: 'en',
    code: '042917',
    expiresInSeconds: 300,
    ...over,
  });
const preheader = (html: string) => /<div style="display:none[^>]*>([^&]*)/.exec(html)?.[1];
const tags = (html: string) => html.match(/<[a-z!/][^>]*>/gi) ?? [];
const count = (text: string, piece: string) => text.split(piece).length - 1;

test('the verification mail contains the message, the code and its lifetime, as text and as HTML', () => {
  const mail = render();
  expect(mail.subject).toBe('Your Verification Code');
  expect(mail.text).toMatch(/^Your verification code is: 042917\n\nThis code expires in 5 minutes\./);
  expect(mail.html).toContain('Your verification code is:');
  expect(mail.html).toContain('>042917</span>');
  expect(mail.html).toContain('This code expires in 5 minutes.');
});

test('the verification mail shows a code at the end of the message once, and a code in the middle also in place', () => {
  expect(count(render().html, '042917')).toBe(1);
  expect(count(render({ messageTemplate: '{code}' }).html, '042917')).toBe(1);
  const html = render({ messageTemplate: 'Use {code} to sign in.\n\nOnce more: {code}' }).html;
  expect(count(html, '042917')).toBe(3);
  expect(html).toContain('to sign in.');
});

test('the verification mail has the code in the subject and in the preview line of inboxes only if the subject asks for it', () => {
  const line = 'This code expires in 5 minutes. Never share it with anyone.';
  const mail = render();
  expect(mail.subject).not.toContain('042917');
  expect(preheader(mail.html)).toBe(line);
  const open = render({ subject: '{code} is your code' });
  expect(open.subject).toBe('042917 is your code');
  expect(preheader(open.html)).toBe(`042917 – ${line}`);
});

test('the verification mail contains no other number of four to eight digits, so phones can autofill the code', () => {
  const { html, text } = render();
  expect(html.match(/(?<![\w])\d{4,8}(?![\w])/g)).toEqual(['042917']);
  expect(text.match(/\d{4,8}/g)).toEqual(['042917']);
});

test('the verification mail loads no remote content', () => {
  const { html } = render();
  expect(html).not.toMatch(/<(img|link|script|iframe)|url\(|@import|src=/i);
  expect(html.match(/https?:\/\//g)).toBeNull();
});

test('the verification mail stays below the size at which Gmail clips a mail', () => {
  expect(Buffer.byteLength(render({ messageTemplate: `${'x'.repeat(1000)} {code}` }).html)).toBeLessThan(
    20_000,
  );
});

test('the verification mail names the service and its abuse contact only on behalf of a customer', () => {
  expect(render().text).toContain(
    'Sent by Sixdigit on behalf of Acme.\nTo report misuse, write to support@sixdigit.example.',
  );
  const own = render({ senderName: undefined });
  expect(own.text).not.toContain('on behalf of');
  expect(own.text).toContain('Questions? Write to support@sixdigit.example.');
  expect(render({ supportEmail: undefined }).html).not.toContain('mailto:');
});

test('the verification mail preserves the line breaks of the message', () => {
  expect(render({ messageTemplate: 'Hello\nthere\r\nyou: {code}' }).html).toContain('Hello<br>there<br>you:');
});

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom(
    '</td></table><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '<!--[if mso]>',
    "' style='x",
    '{code}</style>',
    '$& $1 $`',
    '&lt;b&gt;',
    'a\r\nBcc: eve@example.com',
  ),
);

test('customer text in a verification mail adds no element and no attribute', () => {
  const plain = tags(
    render({ senderName: 'x', subject: 'x', brand: 'y', messageTemplate: 'x {code} x' }).html,
  );
  fc.assert(
    fc.property(anything, anything, anything, anything, (senderName, subject, brand, words) => {
      const oneLine = words.replace(/[\r\n\u2028\u2029]/g, ' ').replaceAll('{code}', '');
      fc.pre([senderName, brand].every((name) => /[^\s\p{C}]/u.test(name)) && senderName !== brand);
      const { html } = render({
        senderName: `A${senderName}`,
        subject,
        brand: `B${brand}`,
        messageTemplate: `x ${oneLine} {code} x`,
      });
      expect(tags(html)).toEqual(plain);
    }),
    { numRuns: 500 },
  );
});

test('customer text in a verification mail adds no line to the subject and no control character to the HTML', () => {
  fc.assert(
    fc.property(anything, anything, (subject, words) => {
      const mail = render({ subject, senderName: words, messageTemplate: `${words}{code}` });
      expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(mail.html).not.toMatch(/[^\P{Cc}\t\n\r]/u);
      expect(mail.html.isWellFormed()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('customer text is inserted into a verification mail unchanged, dollar signs included', () => {
  expect(render({ messageTemplate: "Pay $& {code} $' $$" }).text).toContain("Pay $& 042917 $' $$");
});

test('an SMS contains the code in place of every {code}', () => {
  expect(renderSms('Your verification code is: {code}', '042917')).toBe('Your verification code is: 042917');
  expect(renderSms('{code} is it. @acme.example #{code}', '1234')).toBe('1234 is it. @acme.example #1234');
});

test.each(LANGUAGES)('every sentence of a verification mail in %s is in that language', (language) => {
  const english = render({ messageTemplate: '{code}' });
  const mail = render({ messageTemplate: '{code}', language });
  const linesOf = ({ text }: { text: string }) =>
    text.split('\n').filter((line) => !/^(042917|-- |)$/.test(line));
  const [lines, englishLines] = [linesOf(mail), linesOf(english)];
  expect(lines).toHaveLength(4);
  if (language !== 'en') expect(lines.filter((line) => englishLines.includes(line))).toEqual([]);
  for (const text of [mail.text, mail.html]) {
    expect(text).toContain('Acme');
    expect(text).toContain('support@sixdigit.example');
  }
  expect(mail.text).not.toContain('{');
  expect(lines[0]).toMatch(/5/);
});

test('the sentences of a verification mail escape the names in them', () => {
  const { html } = render({ language: 'de', brand: '<b>A</b>', senderName: '<i>{brand}</i>' });
  expect(html).toContain('Gesendet von &lt;b&gt;A&lt;/b&gt; im Auftrag von &lt;i&gt;{brand}&lt;/i&gt;.');
});

test('a call greets, speaks the sentence with the digits one by one, repeats them twice, and says goodbye', () => {
  const pause = { pause_seconds: 1 };
  const again = [pause, { say: 'Once more: 0, 4, 2, 9.' }];
  expect(callScript('en', 'Smith\n& Co', '0429')).toEqual([
    pause,
    { say: 'Hello. Your Smith & Co verification code is: 0, 4, 2, 9.' },
    ...again,
    ...again,
    pause,
    { say: 'Goodbye.' },
  ]);
});
