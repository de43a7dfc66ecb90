import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { hostOf, isPublicHost } from '../../../../platform/outbound/address.ts';
import { parseMailbox } from '../../email-address.ts';

/**
 * Parses SMTP_URL: `smtps://` starts with TLS, `smtp://` upgrades if the server offers it. Only a few parameters are allowed,
 * because others could enable the library's own logging, which would print messages. `helloName` is the name for EHLO if the
 * URL has none.
 */
export function smtpOptions(smtpUrl: string, helloName?: string): SMTPPoolOptions {
  const url = new URL(smtpUrl);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw new Error('must begin with smtp:// or smtps://');
  if (url.hostname === '') throw new Error('names no host');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const query = settings(url.searchParams);
  const name = query.name ?? helloName;
  const user = decodeURIComponent(url.username);
  const secure = url.protocol === 'smtps:';

  return {
    host,
    secure,
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    ...(user ? { auth: { user, pass: decodeURIComponent(url.password) } } : {}),
    // A password requires TLS unless the URL explicitly opts out.
    requireTLS: query.requireTLS ?? (user !== '' && !isLoopback && !query.ignoreTLS),
    ignoreTLS: query.ignoreTLS ?? false,
    tls: { rejectUnauthorized: query.rejectUnauthorized ?? !isLoopback },
    ...(isLoopback ? { allowInternalNetworkInterfaces: true } : {}),
    // Enough for slow servers, and below common connection limits.
    maxConnections: query.maxConnections ?? 20,
    ...(name ? { name } : {}),
  };
}

/**
 * The name announced in EHLO (RFC 5321, 4.1.1.1): the service's public host, or the sender's domain. Mail servers reject or
 * distrust clients that announce a name without a host. Undefined if neither is public.
 */
export function helloNameOf({
  publicUrl,
  emailFrom,
}: {
  publicUrl?: string | undefined;
  emailFrom?: string | undefined;
}): string | undefined {
  const address = emailFrom && parseMailbox(emailFrom)?.address;
  const domain = address && domainToASCII(address.slice(address.lastIndexOf('@') + 1));
  return [publicUrl, domain && `http://${domain}/`]
    .flatMap((text) => (text && URL.canParse(text) ? [new URL(text)] : []))
    .filter((url) => isPublicHost(url) && isIP(hostOf(url)) === 0)
    .map(hostOf)[0];
}

interface Settings {
  requireTLS?: boolean;
  ignoreTLS?: boolean;
  rejectUnauthorized?: boolean;
  name?: string;
  maxConnections?: number;
}

function settings(params: URLSearchParams): Settings {
  const known: Settings = {};
  for (const [key, value] of params) {
    if (key === 'requireTLS' || key === 'ignoreTLS') known[key] = truth(key, value);
    else if (key === 'tls.rejectUnauthorized') known.rejectUnauthorized = truth(key, value);
    else if (key === 'name') known.name = value;
    else if (key === 'maxConnections') known.maxConnections = amount(key, value);
    else throw new Error(`has an unknown parameter "${key}"`);
  }
  return known;
}

function truth(key: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error(`parameter "${key}" must be true or false`);
  return value === 'true';
}

function amount(key: string, value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new Error(`parameter "${key}" must be a number from 1 to 999`);
  return Number(value);
}
