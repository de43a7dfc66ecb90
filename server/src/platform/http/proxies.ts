import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressInText } from '../addresses/address-text.ts';
import { plainNetwork } from '../addresses/ip-network.ts';

/** Names for the ranges that a proxy near the service has. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
export const PROXY_NAMES = Object.keys(RANGES);

/** The widest networks of one owner: 10.0.0.0/8 and fc00::/7. */
const LEAST_BITS = { ipv4: 8, ipv6: 7 } as const;
const MAPPED = ipaddr.IPv6.parse('::ffff:0:0');

/** Whether a range holds so many addresses that strangers are among them. */
export function isTooWide(name: string): boolean {
  if (!ipaddr.isValidCIDR(name)) return false;
  const [address, bits] = ipaddr.parseCIDR(plainNetwork(name));
  if (bits < LEAST_BITS[address.kind()]) return true;
  return address instanceof ipaddr.IPv6 && bits <= 96 && MAPPED.match(address, bits);
}

/** Decides whether an address belongs to a proxy that is trusted to name the address of its client. */
export function trustedProxies(names: readonly string[]): (address: string | undefined) => boolean {
  const trusted = new BlockList();
  for (const network of names.flatMap((name) => RANGES[name] ?? [plainNetwork(name)])) {
    const [address, bits] = ipaddr.isValidCIDR(network)
      ? ipaddr.parseCIDR(network)
      : [ipaddr.parse(network), undefined];
    const family = address.kind();
    const text = address.toString().replace(/%.*$/, '');
    if (bits === undefined) trusted.addAddress(text, family);
    else trusted.addSubnet(text, bits, family);
  }
  return (given) => {
    const address = given === undefined ? undefined : addressInText(given);
    return address !== undefined && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
}

const XFF = 'x-forwarded-for';

/**
 * Rewrites what proxies write about a client in so many ways into plain addresses in `X-Forwarded-For`, from which Fastify takes the
 * client's address. `Forwarded` counts if there is no `X-Forwarded-For`. An entry that names no address ends the chain: the
 * client is then the proxy that wrote the entry.
 */
export function plainForwarding(headers: IncomingHttpHeaders): void {
  const listed = headers[XFF];
  const entries =
    typeof listed === 'string'
      ? listed.split(',')
      : headers.forwarded === undefined
        ? undefined
        : forwardedFor(headers.forwarded);
  if (entries === undefined) return;
  const addresses = entries.filter((text) => text.trim() !== '').map(addressInText);
  headers[XFF] = addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', ');
}

/** The `for` of each element (RFC 7239). A quoted text may contain the separators. */
function forwardedFor(text: string): string[] {
  const quotedOr = (others: string) => new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"|[^${others}"]|")+`, 'g');
  return (text.match(quotedOr(',')) ?? []).map((element) => {
    const pairs = element.match(quotedOr(';')) ?? [];
    const value = pairs.map((pair) => /^\s*for\s*=(.*)$/is.exec(pair)?.[1]).find((one) => one !== undefined);
    return (value ?? 'unknown').replace(/\\(.)/gs, '$1');
  });
}
