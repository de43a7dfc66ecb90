import ipaddr from 'ipaddr.js';
import { countryOfPhone } from '../platform/addresses/phone.ts';

/** The destination and the client of a send, as the rules see them. */
export interface Destination {
  /** E.164 */
  number: string;
  /** the number without its last four digits: a block of up to 10,000 numbers */
  prefix: string;
  /** ISO 3166-1 alpha-2 */
  country: string;
  /** the end user's address, as text */
  address: string | null;
  /** the unit of the rules on clients: the address, or for IPv6 its /64 network */
  client: string | null;
}

const LAST_DIGITS = 4;

export const prefixOf = (number: string): string => number.slice(0, -LAST_DIGITS);

/** Countries by prefix, because parsing a number costs more than all rules. */
const countries = new Map<string, string>();
const COUNTRIES_MAX = 50_000;

export function countryOf(number: string): string | undefined {
  const prefix = prefixOf(number);
  const known = countries.get(prefix);
  if (known !== undefined) return known;
  const country = countryOfPhone(number);
  if (country === undefined) return undefined;
  if (countries.size >= COUNTRIES_MAX) countries.clear();
  countries.set(prefix, country);
  return country;
}

/** Undefined for numbers without a country, which get no codes. */
export function destinationOf(number: string, address: string | null): Destination | undefined {
  const country = countryOf(number);
  if (country === undefined) return undefined;
  return { number, prefix: prefixOf(number), country, ...clientOf(address) };
}

/**
 * A private address does not identify a client: an application that sends its own proxy's address would otherwise appear as one
 * client.
 */
const NO_VISITORS = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'unspecified',
  'multicast',
  'broadcast',
]);

export function clientOf(text: string | null): Pick<Destination, 'address' | 'client'> {
  if (text === null || !ipaddr.isValid(text)) return { address: null, client: null };
  const address = ipaddr.process(text.replace(/%.*/s, ''));
  if (NO_VISITORS.has(address.range())) return { address: null, client: null };
  if (address.kind() === 'ipv4') return { address: address.toString(), client: address.toString() };
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`);
  return { address: address.toString(), client: `${network.toString()}/64` };
}
