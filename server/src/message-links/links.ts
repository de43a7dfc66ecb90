import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/**
 * The hosts that a text links to: URLs with or without a scheme, bare domains, which phones turn into links, and the domains of
 * e-mail addresses. Internationalised domains come in punycode.
 */
export function linkedHosts(text: string): string[] {
  // A link has a dot, or slashes after a colon. Most messages have neither and cost nothing.
  if (!/[.\u3002\uFF0E\uFF61\uFE52\u2024]|[:\uFF1A\uFE55]\P{L}{0,8}[\\/\uFF0F\uFF3C\uFE68]/u.test(text))
    return [];
  const hosts = new Set<string>();
  for (const reading of readingsOf(text)) {
    for (const host of hostsAfterSchemes(reading)) hosts.add(host);
    for (const host of bareHosts(reading)) hosts.add(host);
  }
  return [...hosts];
}

/** A text field that links outside these domains; undefined if every link is allowed. */
export const firstForeignHost = (text: string, domains: readonly string[]): string | undefined =>
  linkedHosts(text).find((host) => !domains.some((own) => host === own || host.endsWith(`.${own}`)));

/** Invisible characters and those that change only how others look. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}/gu;

/**
 * Some programs skip an invisible character and others end the link there, so both readings count. The code is part of the text
 * that the recipient gets, and could complete a domain.
 */
function readingsOf(text: string): string[] {
  const sent = text
    .replaceAll('{code}', '123456')
    .normalize('NFKC')
    .replace(/[\u3002\uFF61]/g, '.');
  const readings = [sent.replace(INVISIBLE, ''), sent.replace(INVISIBLE, ' ')];
  return [...new Set(readings)];
}

/** Browsers accept any number of slashes or backslashes, and a name before an @. */
const AFTER_SCHEME = /[a-z][a-z0-9+.-]{1,20}:[\\/]+([^\s\\/?#]+)/giu;

function hostsAfterSchemes(text: string): string[] {
  return [...text.matchAll(AFTER_SCHEME)].map(([, authority = '']) => {
    const host = authority
      .slice(authority.lastIndexOf('@') + 1)
      .replace(/[)\]}>"'.,;!?]+$/u, '')
      .replace(/:\d*$/, '');
    return hostOf(host) ?? host.toLowerCase();
  });
}

/** Some phones link domains with emoji too. Matches begin at the start of a label, so that the time stays linear. */
const LABELS = /(?<![\p{L}\p{N}\p{M}\p{So}_-])[\p{L}\p{N}\p{M}\p{So}_-]+(?:\.[\p{L}\p{N}\p{M}\p{So}_-]+)+/gu;
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

function bareHosts(text: string): string[] {
  return [...text.matchAll(LABELS)].flatMap(([name]) => {
    const host = hostOf(name);
    if (host === undefined) return [];
    if (IPV4.test(host)) return IPV4.test(name) ? [host] : [];
    return parse(host).isIcann ? [host] : [];
  });
}

/** In punycode and lower case. Undefined if it cannot be the name of a host. */
function hostOf(name: string): string | undefined {
  const host = domainToASCII(name.replaceAll('_', '-').replace(/\.$/, ''));
  return host === '' ? undefined : host;
}

/** A domain that an account can list, in punycode; or what is wrong with it. */
export function listableDomain(text: string): { domain: string } | { problem: string } {
  const domain = domainToASCII(text.trim().toLowerCase().replace(/\.$/, ''));
  const facts = parse(domain, { allowPrivateDomains: true, validateHostname: true });
  if (domain === '' || domain.length > 200 || facts.isIp || !facts.hostname)
    return { problem: 'Enter a domain such as example.com.' };
  if (!facts.isIcann && !facts.isPrivate) return { problem: 'Enter a domain such as example.com.' };
  if (facts.domain === null) return { problem: `The suffix ${domain} belongs to many owners.` };
  return { domain };
}
