/**
 * Which targets a customer may have us call. Addresses are judged here in one place; `connect.ts` judges again every
 * address that a name resolves to, on every connection, so a target that passes here is not yet trusted.
 */
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IANA has given out global unicast from here only; everything else of IPv6 is special or unassigned (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's host agent: looks public, answers only machines inside. Other clouds' metadata stand in special ranges. */
const azureHostAgent = '168.63.129.16';

/**
 * Whether an address may be called from here: ordinary unicast of the public internet, and no transition prefix
 * (NAT64, 6to4, Teredo, IPv4-compatible) that could carry a private address inside a public-looking one.
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

/** The URL parser spells IPv6 without dots, else `::127.0.0.1` would be read as `::ffff:127.0.0.1`; it refuses zones. */
function canonicalAddress(ip: string): string | undefined {
  if (isIPv4(ip)) return ip;
  return isIP(ip) ? URL.parse(`http://[${ip}]`)?.hostname.slice(1, -1) : undefined;
}

export type Target = { url: URL } | { refused: 'invalid_url' | 'blocked_address'; problem: string };

/** A sentence for the customer when `url` may not be called, `undefined` when it may be stored and tried. */
export function targetProblem(url: string, options: { allowPrivate: boolean }): string | undefined {
  const target = readTarget(url, options);
  return 'problem' in target ? target.problem : undefined;
}

/** Reads a target as it will be called; `allowPrivate` admits `http://` and every host. Names are not resolved here. */
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

/** Whether others on the internet can mean this host: a public address, or a name that is no local one. */
export function isPublicHost(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 ? isPublicUnicast(host) : !isPrivateName(host);
}

/** The host without brackets and without the root's dot. The URL parser has already undone every odd spelling. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isHostName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

/** Names that only ever mean something on the own machine or network (RFC 6761, 6762, 8375; ICANN's `internal`). */
function isPrivateName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|localdomain|local|internal|home\.arpa)$/.test(host);
}
