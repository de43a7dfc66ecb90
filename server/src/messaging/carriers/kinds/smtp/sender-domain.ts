import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { type Finding, ok, problem, warning } from '../../../../platform/finding.ts';
import { isPublicUnicast } from '../../../../platform/outbound/address.ts';
import { type Dkim, dkimRecord, publicKeyIn } from './dkim.ts';

const NAME = 'mail';
const TIMEOUT_MS = 3_000;
const MOST_ADDRESSES = 2;
const ABSENT = new Set(['ENODATA', 'ENOTFOUND']);

interface Sending {
  dkim: Dkim | undefined;
  /** name servers; those of the system if empty */
  servers: readonly string[];
  /** of the envelope senders; the sender's own domain without one */
  bounceDomain?: string | undefined;
  /** of the mail server */
  host?: string | undefined;
}

/** What receivers will find about the sender's domain, its bounce domain and its mail server: SPF, DKIM, DMARC, MX and PTR. */
export const checkSenderDomain = (domain: string, sending: Sending): Promise<Finding[]> =>
  lookedUp(domain, sending).catch(() => [
    warning(NAME, `The records of ${domain} cannot be looked up.`, 'Check DNS_SERVERS and the name server.'),
  ]);

async function lookedUp(
  domain: string,
  { dkim, servers, bounceDomain, host = '' }: Sending,
): Promise<Finding[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const texts = async (name: string) =>
    (await found(resolver.resolveTxt(name))).map((parts) => parts.join(''));
  // Receivers look up SPF for the envelope sender.
  const envelope = bounceDomain ?? domain;
  const record = dkim && dkimRecord(dkim, domain);
  const organization = organizationOf(domain);
  const [spf, own, parent, key, servedBy, names] = await Promise.all([
    texts(envelope),
    texts(`_dmarc.${domain}`),
    organization === domain ? [] : texts(`_dmarc.${organization}`),
    record ? texts(record.name) : [],
    bounceDomain ? mailServersOf(resolver, bounceDomain) : [],
    namesOf(resolver, host),
  ]);
  const dmarc = [...own, ...parent].filter((one) => /^v=DMARC1\s*;/i.test(one));
  return [
    spfFinding(envelope, spf),
    ...(record ? [dkimFinding(record, key)] : []),
    dmarcFinding(domain, dmarc[0]),
    ...(bounceDomain
      ? [
          mxFinding(bounceDomain, servedBy),
          alignmentFinding(domain, { bounceDomain, dmarc: dmarc[0] ?? '', isSigned: record !== undefined }),
        ]
      : []),
    ...names.map((named) => nameFinding(host, named)),
  ];
}

const found = <T>(records: Promise<T[]>): Promise<T[]> =>
  records.catch((error: { code?: string }) => {
    if (ABSENT.has(error.code ?? '')) return [];
    throw error;
  });

const organizationOf = (domain: string): string => getDomain(domain) ?? domain;

/** Without an MX record, mail goes to the domain's own address (RFC 5321, 5.1). An empty name accepts no mail (RFC 7505). */
async function mailServersOf(resolver: Resolver, domain: string): Promise<string[]> {
  const [mx, own] = await Promise.all([found(resolver.resolveMx(domain)), found(resolver.resolve4(domain))]);
  return mx.length > 0 ? mx.map(({ exchange }) => exchange).filter(Boolean) : own;
}

interface Named {
  address: string;
  /** its name, if that has this address too */
  name: string | undefined;
}

/** The names of a mail server's public addresses. Receivers see the address of the server that connects to them. */
async function namesOf(resolver: Resolver, host: string): Promise<Named[]> {
  const addresses = isIP(host) ? [host] : host.includes('.') ? await found(resolver.resolve4(host)) : [];
  return Promise.all(
    addresses
      .filter(isPublicUnicast)
      .slice(0, MOST_ADDRESSES)
      .map(async (address) => {
        const [name] = await found(resolver.reverse(address));
        if (name === undefined) return { address, name };
        const back = await found(isIP(address) === 6 ? resolver.resolve6(name) : resolver.resolve4(name));
        return { address, name: back.includes(address) ? name : undefined };
      }),
  );
}

function mxFinding(domain: string, servedBy: readonly string[]): Finding {
  return servedBy.length > 0
    ? ok(NAME, `Bounces to ${domain} go to ${servedBy.join(', ')}.`)
    : problem(
        NAME,
        `${domain} has no MX record, so bounces do not arrive, and receivers distrust the sender.`,
        'Create an MX record that names the mail server that passes bounces on.',
      );
}

/** DMARC passes if SPF or DKIM passes for a domain that belongs to the sender's (RFC 7489, 3.1). */
function alignmentFinding(
  domain: string,
  { bounceDomain, dmarc, isSigned }: { bounceDomain: string; dmarc: string; isSigned: boolean },
): Finding {
  const isStrict = /;\s*aspf\s*=\s*s/i.test(dmarc);
  const isAligned = isStrict
    ? bounceDomain === domain
    : organizationOf(bounceDomain) === organizationOf(domain);
  if (isAligned) return ok(NAME, `${bounceDomain} belongs to ${domain}, so SPF counts for DMARC.`);
  const says = `${bounceDomain} does not belong to ${domain}${isStrict ? ' under its policy aspf=s' : ''}, so SPF does not count for DMARC`;
  return isSigned
    ? ok(NAME, `${says}. The DKIM signature does.`)
    : warning(
        NAME,
        `${says}: without a DKIM signature of ${domain}, receivers treat codes as forged.`,
        `Use a bounce domain such as bounces.${domain}, or sign with DKIM.`,
      );
}

const nameFinding = (host: string, { address, name }: Named): Finding =>
  name === undefined
    ? warning(
        NAME,
        `${address} of ${host} has no PTR record that leads back to it: Gmail and others refuse mail from such a server.`,
        'If this server delivers mail itself, ask its hosting provider for a PTR record with its host name.',
      )
    : ok(NAME, `${address} of ${host} has the name ${name}.`);

function spfFinding(domain: string, records: readonly string[]): Finding {
  const spf = records.filter((one) => /^v=spf1(?:\s|$)/i.test(one));
  if (spf.length > 1)
    return problem(NAME, `${domain} has ${spf.length} SPF records, so receivers ignore all.`, 'Keep one.');
  if (/\s\+?all\b/i.test(spf[0] ?? '') && !/\s[-~?]all\b/i.test(spf[0] ?? ''))
    return problem(NAME, `The SPF record of ${domain} allows every server.`, 'End it with ~all or -all.');
  return spf.length === 1
    ? ok(NAME, `${domain} has an SPF record.`)
    : warning(
        NAME,
        `${domain} has no SPF record: receivers may treat codes as spam.`,
        'Add a TXT record such as "v=spf1 include:… ~all" that names your mail server.',
      );
}

function dkimFinding({ name, value }: { name: string; value: string }, records: readonly string[]): Finding {
  const [found] = records.filter((one) => publicKeyIn(one) !== undefined);
  if (found !== undefined && publicKeyIn(found) === publicKeyIn(value))
    return ok(NAME, `Receivers find the DKIM key at ${name}.`);
  return problem(
    NAME,
    found === undefined
      ? `${name} has no DKIM record, so receivers reject the signatures.`
      : `${name} has the record of another DKIM key, so receivers reject the signatures.`,
    `Create the TXT record ${name} with the value ${value}`,
  );
}

function dmarcFinding(domain: string, dmarc: string | undefined): Finding {
  const policy = /;\s*p\s*=\s*(none|quarantine|reject)/i.exec(dmarc ?? '')?.[1]?.toLowerCase();
  if (policy === undefined)
    return warning(
      NAME,
      `${domain} has no DMARC record: Gmail and Yahoo require one of senders of many mails.`,
      `Create the TXT record _dmarc.${domain}, such as "v=DMARC1; p=none; rua=mailto:…".`,
    );
  return ok(NAME, `${domain} has a DMARC record with the policy ${policy}.`);
}
