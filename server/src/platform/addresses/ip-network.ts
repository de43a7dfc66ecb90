import ipaddr from 'ipaddr.js';

const MAPPED_BITS = 96;

/**
 * An address or a network as requests have it: `::ffff:192.0.2.0/120`, IPv4 within IPv6, is `192.0.2.0/24`, because the addresses
 * of clients are compared as IPv4.
 */
export function plainNetwork(text: string): string {
  const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined];
  if (!(address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())) return text;
  if (bits === undefined) return address.toIPv4Address().toString();
  return bits < MAPPED_BITS ? text : `${address.toIPv4Address().toString()}/${bits - MAPPED_BITS}`;
}
