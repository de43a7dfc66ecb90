import { isIPv4 } from 'node:net';
import { addressIn } from '@sixdigit/contract/text/address-text.ts';
import ipaddr from 'ipaddr.js';

/**
 * The address in a text, in the only spelling that the database, the limits and the logs see: without port, brackets and zone, and
 * IPv4 within IPv6 as IPv4. Undefined if the text names no address.
 */
export function addressInText(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const address = addressIn(text);
  if (address === undefined || isIPv4(address)) return address;
  // The URL parser writes IPv6 without dots, because `ipaddr` takes `::127.0.0.1` for `::ffff:127.0.0.1`.
  const plain = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  return plain && ipaddr.process(plain).toString();
}
