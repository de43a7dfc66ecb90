import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { renderNotice } from './notice.ts';
import { renderOtpMail } from './otp-mail.ts';

/** Spam filters penalize hidden text that is tiny or invisible by its color. */
const letterhead = { brand: 'Sixdigit', supportEmail: 'support@sixdigit.example' };
const mails = {
  'a verification code': renderOtpMail({
    ...letterhead,
    senderName: 'Acme',
    language: 'en',
    subject: 'Your Verification Code',
    messageTemplate: 'Your verification code is: {code}',
    code: '042917',
    expiresInSeconds: 300,
  }),
  "a code of the dashboard's": renderNotice({
    ...letterhead,
    heading: 'Your sign-in code',
    paragraphs: ['Enter this code to sign in.'],
    code: '042917',
    expiresInSeconds: 300,
  }),
  'a notice with a button': renderNotice({
    ...letterhead,
    heading: 'Your password was changed',
    paragraphs: ['Somebody changed the password of your account.'],
    action: { label: 'Open the settings', url: 'https://sixdigit.example/settings' },
    remark: 'If it was not you, reset your password.',
  }),
};
const isInstalled = spawnSync('spamassassin', ['--version'], { stdio: 'ignore' }).status === 0;

const encoded = (text: string): string =>
  (
    Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n');

function raw({ subject, text, html }: { subject: string; text: string; html: string }): string {
  const part = (type: string, content: string) =>
    `--b\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${encoded(content)}\n`;
  return `From: Acme <codes@sixdigit.example>\nTo: reader@example.com\nSubject: ${subject}\nDate: ${new Date().toUTCString().replace('GMT', '+0000')}
Message-ID: <otp.1@sixdigit.example>\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="b"\n
${part('text/plain', text)}${part('text/html', html)}--b--\n`;
}

describe.each(Object.entries(mails))('%s', (_, mail) => {
  test('a mail hides its preview line without tiny or transparent text', () => {
    expect(mail.html).toContain('display:none');
    expect(mail.html).not.toMatch(/font-size:\s*[0-3]px|color:\s*transparent|opacity:\s*0/);
  });

  test.runIf(isInstalled)(
    'a mail scores 0 with SpamAssassin',
    () => {
      const { stdout } = spawnSync('spamassassin', ['-t', '-L'], { input: raw(mail), encoding: 'utf8' });
      const [, points] = /Content analysis details:\s+\((-?[\d.]+) points/.exec(stdout) ?? [];
      const held = stdout.slice(stdout.indexOf('Content analysis details'));
      expect(Number(points), held).toBeLessThanOrEqual(0);
    },
    60_000,
  );
});
