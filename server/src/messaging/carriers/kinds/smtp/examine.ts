import { createTransport } from 'nodemailer';
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../../platform/finding.ts';
import type { FieldValues } from '../../carrier.ts';
import { parseMailbox } from '../../email-address.ts';
import type { SettingValues } from '../../kind.ts';
import { dkimOf } from './dkim.ts';
import { certificateFault } from './send.ts';
import { checkSenderDomain } from './sender-domain.ts';
import { helloNameOf, smtpOptions } from './url.ts';

const NAME = 'mail';
const TIMEOUT_MS = 8_000;

/** Connects, negotiates TLS and logs in. Sends no mail. */
export async function checkMail(settings: SettingValues, { config }: DoctorContext): Promise<Finding[]> {
  const { SMTP_URL: smtpUrl, EMAIL_FROM: emailFrom } = settings;
  if (!smtpUrl) return config.sandbox ? [ok(NAME, 'No SMTP_URL: mail goes to the sandbox inbox.')] : [];
  const options = readable(smtpUrl, helloNameOf({ publicUrl: config.publicUrl, emailFrom }));
  if (!options) return [];
  const found = [await loginFinding(options)];
  const domain = emailFrom && parseMailbox(emailFrom)?.address.split('@')[1];
  if (domain && config.production && /(^|\.)(localhost|example\.(com|org|net)|test|invalid)$/.test(domain))
    found.push(
      warning(
        NAME,
        `EMAIL_FROM is an address at ${domain}.`,
        'Use a sender address in a domain that you own.',
      ),
    );
  // Mail servers on this machine or in its network may send under names that have no records.
  if (domain && config.production)
    found.push(
      ...(await checkSenderDomain(domain, {
        dkim: dkimOf({ dkim_selector: settings.DKIM_SELECTOR, dkim_key: settings.DKIM_PRIVATE_KEY }),
        servers: config.dnsServers,
        bounceDomain: settings.BOUNCE_DOMAIN,
        host: options.host,
      })),
    );
  return found;
}

/** The worst that receivers will find about the domains of a carrier of the console. */
export async function checkStoredMail(
  values: FieldValues,
  dnsServers: readonly string[],
): Promise<Finding | undefined> {
  const domain = parseMailbox(values.from ?? '')?.address.split('@')[1];
  if (!domain) return undefined;
  const found = await checkSenderDomain(domain, {
    dkim: dkimOf(values),
    servers: dnsServers,
    bounceDomain: values.bounce_domain,
    host: values.host,
  });
  const bad = found.filter(({ level }) => level !== 'ok');
  const [worst] = [...bad.filter(({ level }) => level === 'problem'), ...bad];
  return worst ?? ok(NAME, `Receivers find all records of ${domain}.`);
}

async function loginFinding(options: SMTPPoolOptions): Promise<Finding> {
  const where = `${options.host}:${options.port}`;
  const who = options.auth ? 'accepts the login' : 'accepts mail without a login';
  const first = await tryLogin({ ...options, requireTLS: !options.ignoreTLS });
  if (!first) return secureFinding(options, `${where} ${who}`);
  // The login failed because the server offers no TLS. Check whether it works without TLS.
  const isWithoutTls = first.code === 'ETLS' && !options.requireTLS && !options.secure;
  const second = isWithoutTls ? await tryLogin(options) : first;
  if (!second) return clearFinding(where, who, options);
  return failed(where, second);
}

const secureFinding = (options: SMTPPoolOptions, says: string): Finding =>
  options.ignoreTLS
    ? clearFinding(`${options.host}`, 'is used without TLS', options)
    : ok(NAME, `${says}, over TLS.`);

const clearFinding = (
  where: string,
  who: string,
  { allowInternalNetworkInterfaces: isHere }: SMTPPoolOptions,
) =>
  isHere
    ? ok(NAME, `${where} ${who}, without TLS on this machine.`)
    : warning(
        NAME,
        `${where} ${who}, and codes travel to it unencrypted.`,
        'Use smtps://, or a mail server that offers STARTTLS.',
      );

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

function failed(where: string, error: SmtpError): Finding {
  const reply = error.responseCode ? ` (SMTP ${error.responseCode})` : '';
  if (error.code === 'EAUTH')
    return problem(NAME, `${where} refuses the login${reply}.`, 'Correct user and password in SMTP_URL.');
  if (error.code === 'ENOAUTH')
    return problem(NAME, `${where} requires a login.`, 'Add user and password to SMTP_URL.');
  const fault = certificateFault(error);
  if (fault !== undefined)
    return problem(
      NAME,
      `${where} is not trusted: its TLS certificate ${fault}.`,
      'Use the host name of the certificate, renew it, or trust its authority on this machine (NODE_EXTRA_CA_CERTS); tls.rejectUnauthorized=false in SMTP_URL disables the check.',
    );
  if (error.code === 'ETLS' || /certificate|self.signed|SSL|TLS/i.test(error.message))
    return problem(
      NAME,
      `${where} and this service cannot agree on TLS.`,
      'Check that the port matches the scheme (465 smtps://, 587 smtp://) and that its certificate is valid.',
    );
  return problem(
    NAME,
    `${where} cannot be used: ${error.responseCode ? `it replied ${error.responseCode}` : unreachedBecause(error)}.`,
    'Check host and port in SMTP_URL; many hosting providers block outgoing 25, 465 or 587.',
  );
}

async function tryLogin(options: SMTPPoolOptions): Promise<SmtpError | undefined> {
  const transport = createTransport({
    ...options,
    pool: false as const,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  } as never);
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    return error as SmtpError;
  } finally {
    transport.close();
  }
}

/** An invalid URL is already reported as a settings problem. */
function readable(url: string, helloName: string | undefined): SMTPPoolOptions | undefined {
  try {
    return smtpOptions(url, helloName);
  } catch {
    return undefined;
  }
}
