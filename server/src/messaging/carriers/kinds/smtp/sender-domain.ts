import { Resolver } from 'node:dns/promises';
import { type Finding, ok, problem, warning } from '../../../../platform/finding.ts';
import { type Dkim, dkimRecord, publicKeyIn } from './dkim.ts';

const NAME = 'mail';
const TIMEOUT_MS = 3_000;
const ABSENT = new Set(['ENODATA', 'ENOTFOUND']);

type Found = string[] | 'unavailable';

/** What receivers will find about the sender's domain: SPF, DKIM, DMARC. */
export async function checkSenderDomain(
  domain: string,
  { dkim, servers }: { dkim: Dkim | undefined; servers: readonly string[] },
): Promise<Finding[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const texts = (name: string): Promise<Found> =>
    resolver.resolveTxt(name).then(
      (records) => records.map((parts) => parts.join('')),
      (error: { code?: string }) => (ABSENT.has(error.code ?? '') ? [] : 'unavailable'),
    );
  const record = dkim && dkimRecord(dkim, domain);
  const [own, dmarc, key] = await Promise.all([
    texts(domain),
    texts(`_dmarc.${domain}`),
    record ? texts(record.name) : [],
  ]);
  if (own === 'unavailable' || dmarc === 'unavailable' || key === 'unavailable')
    return [
      warning(
        NAME,
        `The records of ${domain} cannot be looked up.`,
        'Check DNS_SERVERS and the name server.',
      ),
    ];
  return [
    spfFinding(domain, own),
    ...(record ? [dkimFinding(record, key)] : []),
    dmarcFinding(domain, dmarc),
  ];
}

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

function dmarcFinding(domain: string, records: readonly string[]): Finding {
  const [dmarc] = records.filter((one) => /^v=DMARC1\s*;/i.test(one));
  const policy = /;\s*p\s*=\s*(none|quarantine|reject)/i.exec(dmarc ?? '')?.[1]?.toLowerCase();
  if (policy === undefined)
    return warning(
      NAME,
      `${domain} has no DMARC record: Gmail and Yahoo require one of senders of many mails.`,
      `Create the TXT record _dmarc.${domain}, such as "v=DMARC1; p=none; rua=mailto:…".`,
    );
  return ok(NAME, `${domain} has a DMARC record with the policy ${policy}.`);
}
