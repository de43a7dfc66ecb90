import { isIPv4 } from 'node:net';
import { addressIn } from '@sixdigit/contract/text/address-text.ts';
import ipaddr from 'ipaddr.js';

const MAPPED_BITS = 96;

/**
 * An address or a network in the form that is compared with client addresses. IPv4-mapped IPv6 becomes IPv4:
 * `::ffff:192.0.2.0/120` becomes `192.0.2.0/24`.
 */
export function plainNetwork(text: string): string {
  const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined];
  if (!(address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())) return text;
  if (bits === undefined) return address.toIPv4Address().toString();
  return bits < MAPPED_BITS ? text : `${address.toIPv4Address().toString()}/${bits - MAPPED_BITS}`;
}

/** The unit of rate limits: one IPv4 address, or one IPv6 /64, because a host can choose any address in it. */
export function networkOf(text: string | null): string {
  if (text === null) return 'unknown';
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}

/**
 * The address in a text, in its canonical form: without port, brackets and zone, and with IPv4-mapped IPv6 as IPv4. Undefined
 * if the text contains no address.
 */
export function addressInText(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const address = addressIn(text);
  if (address === undefined || isIPv4(address)) return address;
  // The URL parser rewrites IPv6 without dots. With dots, `ipaddr` would mistake `::127.0.0.1` for `::ffff:127.0.0.1`.
  const plain = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  return plain && ipaddr.process(plain).toString();
}
