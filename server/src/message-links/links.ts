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
const DOTS = /[\u2024\u3002\uFE52\uFF0E\uFF61]/g;

/**
 * Some programs skip an invisible character and others end the link there. Some read letters as browsers do (NFKC makes "TM" of ™)
 * and others as they are. All readings count. The code is part of the text that the recipient gets, and could complete a domain.
 */
function readingsOf(text: string): string[] {
  const sent = text.replaceAll('{code}', '123456').replace(DOTS, '.');
  const readings = [sent, sent.normalize('NFKC').replace(DOTS, '.')].flatMap((one) => [
    one.replace(INVISIBLE, ''),
    one.replace(INVISIBLE, ' '),
  ]);
  return [...new Set(readings)];
}

/** Browsers accept any number of slashes or backslashes, and a name before an @. */
const AFTER_SCHEME = /[a-z][a-z0-9+.-]{1,20}:[\\/]+(?=([^\s\\/?#]+))/giu;

function hostsAfterSchemes(text: string): string[] {
  return [...text.matchAll(AFTER_SCHEME)].flatMap(([, authority = '']) => {
    const afterName = authority.slice(authority.lastIndexOf('@') + 1);
    const host = afterName.replace(/[)\]}>"'.,;!?]+$/u, '').replace(/:\d*$/, '');
    // Some programs end a host at the first character that no host contains, an @ included.
    const readings = [host, ...[afterName, authority].map((one) => HOST_ONLY.exec(one)?.[0] ?? '')];
    const numbers = hostOf(NUMBERS.exec(afterName)?.[0] ?? '') ?? '';
    return readings
      .filter((one) => one !== '')
      .map((one) => hostOf(one) ?? one.toLowerCase())
      .concat(IS_IPV4.test(numbers) ? [numbers] : []);
  });
}

/** Everything that a program could take for a part of a domain. */
const IN_LABEL = '[[\\p{L}\\p{N}\\p{M}\\p{S}_\\-]--[<>\\uFF5C]]';
const HOST_ONLY = new RegExp(`^(?:${IN_LABEL}|\\.)+`, 'v');
/** Browsers read one to four numbers, decimal or hexadecimal, as an address. */
const NUMBERS = /^[\da-fx.]+/i;
const IS_IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Matches begin at the start of a label, so that the time stays linear. */
const LABELS = new RegExp(`(?<!${IN_LABEL})${IN_LABEL}+(?:\\.${IN_LABEL}+)+`, 'gv');
const IPV4 = /(?<!\d)(?=(\d{1,3}(?:\.\d{1,3}){3})(?!\d))/g;
const LABEL_MOST = 63;
const HOST_MOST = 253;

function bareHosts(text: string): string[] {
  const addresses = [...text.matchAll(IPV4)].map(([, address = '']) => hostOf(address) ?? address);
  return [...text.matchAll(LABELS)].flatMap(([run]) => hostsIn(run)).concat(addresses);
}

/**
 * The hosts that programs find in labels joined by dots. They differ in which characters belong to a domain: some end it before an
 * emoji, a foreign letter or a mark, others take them for a part of it. Every reading counts. Before a dot, a hyphen or an underscore
 * a domain ends only if nothing longer is one, because those are ordinary in names.
 */
function hostsIn(run: string): string[] {
  const hosts: string[] = [];
  const labels = run.split('.');
  let end = run.length;
  for (let k = labels.length - 1; k > 0; k--) {
    const label = labels[k] as string;
    const start = end - label.length;
    for (const { length, isFallback } of endsOf(label, k === labels.length - 1)) {
      if ((isFallback && hosts.length > 0) || !isTopLevel(label.slice(0, length))) continue;
      const names = run.slice(Math.max(0, start + length - HOST_MOST), start + length);
      hosts.push(...startsOf(names).flatMap((from) => hostOf(names.slice(from)) ?? []));
    }
    end = start - 1;
  }
  return hosts;
}

/** Where a domain could end inside a label: before a mark, a symbol, a hyphen, or where ASCII and other letters meet. */
const CUTS = /[\p{M}\p{S}_-]|(?<=\p{ASCII})(?!\p{ASCII})[\p{L}\p{N}]|(?<=\P{ASCII})[A-Za-z0-9]/gu;

/** The lengths of a label at which a domain could end, the longest first. */
function endsOf(label: string, isLast: boolean): { length: number; isFallback: boolean }[] {
  const cuts = [...label.slice(0, LABEL_MOST + 1).matchAll(CUTS)].reverse();
  return [
    { length: label.length, isFallback: !isLast },
    ...cuts.map(({ index, 0: next }) => ({ length: index, isFallback: next === '-' || next === '_' })),
  ];
}

/** Where a host could begin in names that end it: at their start, after a symbol, and after what no label can contain. */
function startsOf(names: string): number[] {
  let [afterSymbol, afterBroken, at] = [0, 0, 0];
  for (const label of names.split('.').slice(0, -1)) {
    const symbols = /^.*\p{S}[-_\p{M}]*(?=.)/su.exec(label)?.[0].length;
    if (symbols !== undefined) afterSymbol = at + symbols;
    const signs = /^[-_\p{M}]+(?=.)/u.exec(label)?.[0].length;
    if (signs !== undefined) afterBroken = at + signs;
    if (label.length > LABEL_MOST) afterBroken = at + label.indexOf('-', label.length - LABEL_MOST - 1) + 1;
    at += label.length + 1;
    if (/[-_]$/.test(label)) afterBroken = at;
  }
  return [...new Set([afterBroken, 0, afterSymbol])];
}

/** Whether a label is a top-level domain that exists, or one in punycode, which some programs do not look up. */
function isTopLevel(label: string): boolean {
  if (label === '' || label.length > LABEL_MOST) return false;
  if (/^xn--[\w-]*\w$/i.test(label)) return true;
  const name = /^\p{ASCII}*$/u.test(label) ? label.toLowerCase() : domainToASCII(label);
  return /^[\w-]+$/.test(name) && parse(`x.${name}`).isIcann === true;
}

/** In punycode and lower case. Undefined if it cannot be the name of a host. */
function hostOf(name: string): string | undefined {
  const host = domainToASCII(name.replace(/\.$/, ''));
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
