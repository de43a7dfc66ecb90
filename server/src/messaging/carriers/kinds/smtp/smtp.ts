import { isIP } from 'node:net';
import { z } from 'zod';
import type { Config } from '../../../../platform/config.ts';
import { targetProblem } from '../../../../platform/outbound/address.ts';
import type { FieldValues } from '../../carrier.ts';
import { parseMailbox } from '../../email-address.ts';
import { carrierKind } from '../../kind.ts';
import { dkimKey, dkimOf, SELECTOR } from './dkim.ts';
import { checkMail } from './examine.ts';
import { smtpCarrier } from './send.ts';
import { smtpOptions } from './url.ts';

/** In lower case, and short enough for a local part before it. */
const DOMAIN = /^(?=.{4,180}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** The sender used by a sandbox that has a mail server but no sender configured. Mail catchers accept any address. */
const SANDBOX_SENDER = 'no-reply@localhost';

export const smtp = carrierKind({
  create: ({ values, ...setup }) =>
    smtpCarrier({
      ...setup,
      url: values.url ?? smtpUrlOf(values),
      from: values.from ?? SANDBOX_SENDER,
      dkim: dkimOf(values),
      bounceDomain: values.bounce_domain,
    }),
  fieldProblems: (
    { host, port, username, password, from, dkim_selector, dkim_key, bounce_domain },
    { config },
  ) => ({
    ...(bounce_domain && !DOMAIN.test(bounce_domain)
      ? { bounce_domain: 'Enter a domain in lower case, such as bounces.example.com.' }
      : {}),
    ...(dkim_selector && !SELECTOR.test(dkim_selector)
      ? { dkim_selector: 'Use lower-case letters, digits and hyphens, such as otp1.' }
      : {}),
    ...(dkim_selector && !dkim_key ? { dkim_key: 'Enter the key of this selector.' } : {}),
    ...(dkim_key && !dkim_selector ? { dkim_selector: 'Enter the selector of this key.' } : {}),
    ...(dkim_key && !dkimKey(dkim_key)
      ? { dkim_key: 'Copy the key again. It is an RSA key in base64.' }
      : {}),
    ...(host && !isMailHost(config, host)
      ? { host: 'Enter the host name of a mail server on the internet, such as smtp.example.com.' }
      : {}),
    ...(port && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
      ? { port: 'Port must be a number from 1 to 65535.' }
      : {}),
    ...(username && !password ? { password: 'Enter the password of this user.' } : {}),
    ...(password && !username ? { username: 'Enter the user name of this password.' } : {}),
    ...(from && !parseMailbox(from)
      ? { from: 'Enter an email address, alone or as Acme <no-reply@example.com>.' }
      : {}),
  }),
  environment: {
    schemas: {
      SMTP_URL: z
        .string()
        .regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// URL')
        .optional(),
      EMAIL_FROM: z
        .string()
        .regex(/^[^\r\n\0]+$/, 'must be one line')
        .optional(),
      DKIM_SELECTOR: z.string().regex(SELECTOR, 'must be lower-case letters, digits and hyphens').optional(),
      DKIM_PRIVATE_KEY: z.string().optional(),
      BOUNCE_DOMAIN: z.string().regex(DOMAIN, 'must be a domain in lower case').optional(),
    },
    required: ['SMTP_URL'],
    // The report of settings omits passwords in any URL.
    secrets: { DKIM_PRIVATE_KEY: 'issued' },
    fields: {
      host: 'SMTP_URL',
      port: 'SMTP_URL',
      encryption: 'SMTP_URL',
      username: 'SMTP_URL',
      password: 'SMTP_URL',
      from: 'EMAIL_FROM',
      dkim_selector: 'DKIM_SELECTOR',
      dkim_key: 'DKIM_PRIVATE_KEY',
      bounce_domain: 'BOUNCE_DOMAIN',
    },
    values: ({ SMTP_URL, EMAIL_FROM, DKIM_SELECTOR, DKIM_PRIVATE_KEY, BOUNCE_DOMAIN }) => ({
      url: SMTP_URL,
      from: EMAIL_FROM,
      dkim_selector: DKIM_SELECTOR,
      dkim_key: DKIM_PRIVATE_KEY,
      bounce_domain: BOUNCE_DOMAIN,
    }),
    shown({ SMTP_URL, EMAIL_FROM, DKIM_SELECTOR, DKIM_PRIVATE_KEY, BOUNCE_DOMAIN }) {
      const url = URL.parse(SMTP_URL ?? '');
      return {
        host: url?.hostname,
        port: url?.port,
        encryption: url?.protocol === 'smtps:' ? 'tls' : 'starttls',
        username: url?.username,
        password: url?.password,
        from: EMAIL_FROM,
        dkim_selector: DKIM_SELECTOR,
        dkim_key: DKIM_PRIVATE_KEY,
        bounce_domain: BOUNCE_DOMAIN,
      };
    },
    problems({ SMTP_URL, EMAIL_FROM, DKIM_SELECTOR, DKIM_PRIVATE_KEY }, { sandbox }) {
      const problems: string[] = [];
      if (Boolean(DKIM_SELECTOR) !== Boolean(DKIM_PRIVATE_KEY))
        problems.push('DKIM_SELECTOR and DKIM_PRIVATE_KEY belong together: set both or neither.');
      if (DKIM_PRIVATE_KEY && !dkimKey(DKIM_PRIVATE_KEY))
        problems.push('DKIM_PRIVATE_KEY must be an RSA key as `npm start -- dkim` prints it.');
      if (SMTP_URL) {
        try {
          smtpOptions(SMTP_URL);
        } catch (error) {
          const why = URL.canParse(SMTP_URL)
            ? (error as Error).message
            : 'is not a URL like smtp://user:password@host:587';
          problems.push(`SMTP_URL ${why}.`);
        }
        if (!EMAIL_FROM && !sandbox) problems.push('EMAIL_FROM is missing: SMTP_URL needs a sender.');
      }
      if (EMAIL_FROM && !parseMailbox(EMAIL_FROM))
        problems.push('EMAIL_FROM must be an e-mail address or "Name <address>".');
      return problems;
    },
    examine: { about: 'mail', check: checkMail },
  },
});

/** The URL that SMTP_URL would have. */
function smtpUrlOf({ host = '', port, encryption, username, password = '' }: FieldValues): string {
  const login = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password)}@` : '';
  const at = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${encryption === 'tls' ? 'smtps' : 'smtp'}://${login}${at}${port ? `:${port}` : ''}`;
}

function isMailHost({ webhookAllowPrivate }: Config, host: string): boolean {
  if (isIP(host) === 0 && !/^[a-z0-9._-]+$/i.test(host)) return false;
  const url = `https://${isIP(host) === 6 ? `[${host}]` : host}/`;
  return targetProblem(url, { allowPrivate: webhookAllowPrivate }) === undefined;
}
