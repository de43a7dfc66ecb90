import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/**
 * The hosts that a text links to: URLs with or without a scheme, bare domains, which phones turn into links, and the domains of
 * e-mail addresses. Internationalised domains come in punycode.
 */
export const linkedHosts = (text: string): string[] => [...new Set(hostsIn(text))];

function* hostsIn(text: string): Iterable<string> {
  // A link has a dot, or slashes after a colon. Most messages have neither and cost nothing.
  if (!/[.\u3002\uFF0E\uFF61\uFE52\u2024]|[:\uFF1A\uFE55]\P{L}{0,8}[\\/\uFF0F\uFF3C\uFE68]/u.test(text))
    return;
  for (const reading of readingsOf(text)) {
    yield* hostsAfterSchemes(reading);
    yield* bareHosts(reading, text.length - reading.length);
  }
}

export const hasLinks = (text: string): boolean => {
  for (const _ of hostsIn(text)) return true;
  return false;
};

/** More than the possible hosts of a text full of links. A text with more would take too long to read, so it is refused. */
const HOSTS_MOST = 1_000;

/** The first host outside these domains; undefined if every link is allowed. */
export function firstForeignHost(text: string, domains: readonly string[]): string | undefined {
  let looked = 0;
  for (const host of hostsIn(text)) {
    if (!domains.some((own) => host === own || host.endsWith(`.${own}`))) return host;
    if (++looked > HOSTS_MOST) return host;
  }
  return undefined;
}

/** More than an ordinary text links to. A text with more would take too long to compare. */
export const KNOWN_HOSTS_MOST = 20;
/** How often they may be found, in all readings of the text. */
const FOUND_MOST = 400;

/** Whether a text links to a host that neither is in another text nor belongs to one in it, or the other one has too many. */
export function hasOtherHosts(text: string, than: string): boolean {
  const known = new Set<string>();
  let found = 0;
  for (const host of hostsIn(than))
    if (known.add(host).size > KNOWN_HOSTS_MOST || ++found > FOUND_MOST) return true;
  return firstForeignHost(text, [...known]) !== undefined;
}

/** In place of a code of any letters and digits, as senders can make them. */
const ANY_CODE = 'qzcodezq';

/**
 * Whether `{code}` stands inside the name of a host, or could become the end of one: a code such as `INFO` makes a domain of
 * `bank-login.{code}`.
 */
export function hasCodeInHost(template: string): boolean {
  const text = template.replaceAll('{code}', ANY_CODE);
  if (linkedHosts(text).some((host) => host.includes(ANY_CODE))) return true;
  return readingsOf(text).some((reading) =>
    [...reading.matchAll(LABELS)].some(([run]) => run.indexOf(ANY_CODE, run.indexOf('.')) > 0),
  );
}

/** Invisible characters, and those that only change the appearance of others. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}/gu;
/** Many characters have both properties: as alternatives, a run of them would take exponential time. */
const INVISIBLE_BY_DOT =
  /(?<=\.)[\p{Default_Ignorable_Code_Point}\p{Cf}]+|(?<![\p{Default_Ignorable_Code_Point}\p{Cf}])[\p{Default_Ignorable_Code_Point}\p{Cf}]+(?=\.)/gu;
const DOTS = /[\u2024\u3002\uFE52\uFF0E\uFF61]/g;

/**
 * Returns every way in which a program could read the text. Some programs skip an invisible character, others end the link
 * there. Some normalize letters like browsers (NFKC turns ™ into "TM"), others do not. Some treat other full stops as dots,
 * others end the link there. `{code}` is replaced by digits, which are all that Sixdigit's own codes contain.
 */
function readingsOf(text: string): string[] {
  const given = text.replaceAll('{code}', '123456');
  const sent = given.replace(DOTS, '.');
  const mapped = sent.normalize('NFKC').replace(DOTS, '.');
  const readings = [sent, mapped, given.replace(DOTS, ' ')].flatMap((one) => [
    one.replace(INVISIBLE, ''),
    one.replace(INVISIBLE, ' '),
    one.replace(/\p{Cc}/gu, ' ').replace(INVISIBLE, ''),
    one
      .replace(/\p{Cc}/gu, ' ')
      .replace(INVISIBLE_BY_DOT, '')
      .replace(INVISIBLE, ' '),
    one.replace(/\p{Cc}/gu, ' '),
  ]);
  return [...new Set(readings)];
}

/** Browsers accept any number of slashes or backslashes, and a name before an @. */
const AFTER_SCHEME = /[a-z][a-z0-9+.-]{1,20}:[\\/]+(?=([^\s\\/?#]+))/giu;

function* hostsAfterSchemes(text: string): Iterable<string> {
  for (const [, authority = ''] of text.matchAll(AFTER_SCHEME)) {
    const afterName = authority.slice(authority.lastIndexOf('@') + 1);
    const host = afterName.replace(/[)\]}>"'.,;!?]+$/u, '').replace(/:\d*$/, '');
    // Some programs end a host at the first character that no host contains, an @ included.
    const readings = [host, ...[afterName, authority].map((one) => HOST_ONLY.exec(one)?.[0] ?? '')];
    for (const one of readings) if (one !== '') yield hostOf(one) ?? one.toLowerCase();
    const numbers = hostOf(NUMBERS.exec(afterName)?.[0] ?? '') ?? '';
    if (IS_IPV4.test(numbers)) yield numbers;
  }
}

/** Every character that a program could treat as part of a domain. */
const IN_LABEL = '[[\\p{L}\\p{N}\\p{M}\\p{S}\\p{Cf}\\p{Default_Ignorable_Code_Point}_\\-]--[<>\\uFF5C]]';
const HOST_ONLY = new RegExp(`^(?:${IN_LABEL}|\\.)+`, 'v');
/** Browsers read one to four numbers, decimal or hexadecimal, as an address. */
const NUMBERS = /^[\da-fx.]+/i;
const IS_IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Matches begin at the start of a label, so that the time stays linear. */
const LABELS = new RegExp(`(?<!${IN_LABEL})${IN_LABEL}+(?:\\.${IN_LABEL}+)+`, 'gv');
const IPV4 = /(?<!\d)(?=(\d{1,3}(?:\.\d{1,3}){3})(?!\d))/g;
const LABEL_MOST = 63;
const HOST_MOST = 253;

/** After slashes, Android begins a link only at the next word, unless it recognizes the scheme outside an earlier link. */
const UNKNOWN_SCHEME = /(?<!(?<![\p{Alphabetic}\p{M}\p{N}\p{Pc}.:/@-])(?:https?|rtsp|ftp)):\/\/$/iu;
/** A number after a colon may be a port, which ends the host before it. */
const PORT = /^\d{1,5}\./;

/** `removed`: the number of removed invisible characters. Programs that count them may find the label too long. */
function* bareHosts(text: string, removed: number): Iterable<string> {
  const labelMost = LABEL_MOST - Math.max(0, removed);
  for (const { index, 0: run } of text.matchAll(LABELS)) {
    const skipsFirst =
      UNKNOWN_SCHEME.test(text.slice(Math.max(0, index - 12), index)) ||
      (text[index - 1] === ':' && PORT.test(run));
    yield* hostsOfRun(run, { skipsFirst, labelMost });
  }
  for (const [, address = ''] of text.matchAll(IPV4)) yield hostOf(address) ?? address;
}

interface Circumstances {
  skipsFirst: boolean;
  labelMost: number;
}

/**
 * The hosts that programs find in labels joined by dots. Programs differ in which characters belong to a domain: some end it
 * before an emoji, a foreign letter or a mark, others include these. Every interpretation counts. A domain ends before a dot, a
 * hyphen or an underscore only if no longer domain exists, because these characters are common in names.
 */
function* hostsOfRun(run: string, { skipsFirst, labelMost }: Circumstances): Iterable<string> {
  const labels = run.split('.');
  const isOrdinary = labels.every((label) => ORDINARY.test(label) && label === label.normalize('NFKC'));
  let [end, hasWhole] = [run.length, false];
  for (let k = labels.length - 1; k > 0; k--) {
    const label = labels[k] as string;
    const start = end - label.length;
    for (const { length, isFallback } of endsOf(label)) {
      if ((isFallback && hasWhole) || !isTopLevel(label.slice(0, length))) continue;
      hasWhole ||= isOrdinary && length === label.length;
      const names = run.slice(Math.max(0, start + length - HOST_MOST), start + length);
      const isWhole = names.length === start + length;
      for (const from of startsOf(names, { skipsFirst: skipsFirst && isWhole, labelMost })) {
        const host = hostOf(names.slice(from));
        if (host !== undefined) yield host;
      }
    }
    end = start - 1;
  }
}

/** A label that no program splits. */
const ORDINARY = /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?$/u;

/**
 * Where a domain could end inside a label: before a mark, a symbol, an invisible character, a hyphen, or where ASCII and other letters
 * meet.
 */
const CUTS =
  /[\p{M}\p{S}\p{Cf}\p{Default_Ignorable_Code_Point}_-]|(?<=\p{ASCII})(?!\p{ASCII})[\p{L}\p{N}]|(?<=\P{ASCII})[A-Za-z0-9]/gu;

/** The lengths of a label at which a domain could end, the longest first. */
function endsOf(label: string): { length: number; isFallback: boolean }[] {
  const cuts = [...label.slice(0, LABEL_MOST + 1).matchAll(CUTS)].reverse();
  return [
    { length: label.length, isFallback: true },
    ...cuts.map(({ index, 0: next }) => ({ length: index, isFallback: next === '-' || next === '_' })),
  ];
}

/** More possible starts than an ordinary name has. */
const STARTS_MOST = 12;

/**
 * Where a host could begin in names that end it: at their start, after a symbol, and beside what no label can contain (a hyphen, an
 * underscore or a mark at its edge or after a symbol, an ASCII symbol, more than 63 characters).
 */
function startsOf(names: string, { skipsFirst, labelMost }: Circumstances): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const label of names.split('.').slice(0, -1)) {
    const symbols = [...label.matchAll(/[\p{S}\p{Cf}][-_\p{M}\p{Cf}]*(?=.)/gu)];
    const signs = /^[-_\p{M}\p{Cf}]+(?=.)/u.exec(label)?.[0].length;
    if (signs !== undefined) starts.push(at + signs);
    const isUnusual =
      signs !== undefined ||
      symbols.some(({ 0: found }) => found.length > 1) ||
      label.length > labelMost ||
      (skipsFirst && at === 0);
    if (isUnusual)
      for (const { index, 0: sign } of label.matchAll(/\p{S}|-/gu))
        starts.push(at + index + (sign === '-' ? 1 : 0));
    for (const { index, 0: found } of symbols) starts.push(at + index + found.length);
    at += label.length + 1;
    if (isUnusual || /[-_]$|[$+<=>^`|~]|^[^\p{L}\p{N}]*$/u.test(label)) starts.push(at);
  }
  const last = names.lastIndexOf('.');
  return [
    ...new Set([
      ...starts
        .filter((one) => one < last)
        .slice(-STARTS_MOST)
        .reverse(),
      0,
    ]),
  ];
}

/** Whether a label is an existing top-level domain, or one in punycode, which some programs accept without a look-up. */
function isTopLevel(label: string): boolean {
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
