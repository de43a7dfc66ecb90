/**
 * Decides which targets a customer may have the service call. `connect.ts` checks again every resolved address on every
 * connection, so a target that passes here is not trusted yet.
 */
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IANA has allocated global unicast only from this range. The rest of IPv6 is special or unassigned (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Azure's host agent has a public address that only virtual machines can reach. Other clouds' metadata services use special
 * ranges.
 */
const azureHostAgent = '168.63.129.16';

/**
 * Whether an address is ordinary unicast of the public internet. Transition prefixes (NAT64, 6to4, Teredo, IPv4-compatible) are
 * refused, because they could embed a private address.
 */
export function isPublicUnicast(ip: string): boolean {
  const canonical = canonicalAddress(ip);
  if (canonical === undefined) return false;
  const address = ipaddr.process(canonical);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6
    ? address.match(globalUnicast)
    : address.toString() !== azureHostAgent;
}

/** The URL parser writes IPv6 without dots; otherwise `::127.0.0.1` would be read as `::ffff:127.0.0.1`. It refuses zones. */
function canonicalAddress(ip: string): string | undefined {
  if (isIPv4(ip)) return ip;
  return isIP(ip) ? URL.parse(`http://[${ip}]`)?.hostname.slice(1, -1) : undefined;
}

export type Target = { url: URL } | { refused: 'invalid_url' | 'blocked_address'; problem: string };

/** Why `url` may not be called, as a sentence for the customer. `undefined` if it may be stored and tried. */
export function targetProblem(url: string, options: { allowPrivate: boolean }): string | undefined {
  const target = readTarget(url, options);
  return 'problem' in target ? target.problem : undefined;
}

/** Parses a target URL. `allowPrivate` permits `http://` and every host. Does not resolve names. */
export function readTarget(text: string, { allowPrivate }: { allowPrivate: boolean }): Target {
  const invalid = (problem: string): Target => ({ refused: 'invalid_url', problem });
  if (text.length > 2048) return invalid('The URL must have at most 2,048 characters.');
  if (/[\s\p{Cc}]/u.test(text)) return invalid('The URL must not contain spaces.');
  if (!allowPrivate && !/^https:\/\//i.test(text)) return invalid('The URL must begin with https://.');
  if (!/^https?:\/\//i.test(text)) return invalid('The URL must begin with https:// or http://.');

  const url = /^\w+:\/\/[/\\]/.test(text) ? null : URL.parse(text);
  if (!url) return invalid('Enter a valid URL.');
  if (url.username || url.password) {
    return invalid('The URL must not contain a user name or password.');
  }

  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  if (!isAddress && !isHostName(host)) return invalid('The host name in the URL is not valid.');
  if (!allowPrivate && (isAddress ? !isPublicUnicast(host) : isPrivateName(host))) {
    return { refused: 'blocked_address', problem: 'The URL must lead to a public address on the internet.' };
  }
  return { url };
}

/** Whether this host is meaningful on the internet: a public address, or a name that is not local. */
export function isPublicHost(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 ? isPublicUnicast(host) : !isPrivateName(host);
}

/** The host without brackets and without the trailing dot. The URL parser has already normalized it. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isHostName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

/** Names that are only valid on this machine or network (RFC 6761, 6762, 8375; ICANN's `internal`). */
function isPrivateName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|localdomain|local|internal|home\.arpa)$/.test(host);
}
