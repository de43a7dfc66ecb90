import { COUNTRY_MESSAGE } from '@sixdigit/contract/field.ts';
import {
  ADDRESS_MESSAGE,
  type ListEntry,
  type ListKind,
  NUMBER_MESSAGE,
  PREFIX_MESSAGE,
} from '@sixdigit/contract/protection/protection.ts';
import { plainPhone } from '@sixdigit/contract/text/phone-text.ts';
import ipaddr from 'ipaddr.js';
import { plainNetwork } from '../platform/addresses/ip-network.ts';
import { countriesOfPhones, countryOfPhone, possiblePhone } from '../platform/addresses/phone.ts';
import type { Destination } from './destination.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** An allow or deny list, prepared for look-ups by each send. */
export interface DestinationList {
  entries: readonly ListEntry[];
  /** ms since 1970 at which an entry expires, by kind and value */
  exact: ReadonlyMap<string, number>;
  /** lengths of its prefixes */
  lengths: readonly number[];
  networks: readonly { network: Network; until_ms: number }[];
}

const keyOf = (kind: ListKind, value: string): string => `${kind} ${value}`;
const untilMs = ({ expires_at }: ListEntry): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

export function destinationList(entries: readonly ListEntry[]): DestinationList {
  const prefixes = entries.filter(({ kind }) => kind === 'prefix');
  return {
    entries,
    exact: new Map(entries.map((entry) => [keyOf(entry.kind, entry.value), untilMs(entry)])),
    lengths: [...new Set(prefixes.map(({ value }) => value.length))],
    networks: entries.flatMap((entry) =>
      entry.kind === 'address' && entry.value.includes('/')
        ? [{ network: ipaddr.parseCIDR(entry.value), until_ms: untilMs(entry) }]
        : [],
    ),
  };
}

export const NO_ENTRIES: DestinationList = destinationList([]);

/** The kind of the most specific entry that covers the destination and has not expired. */
export function kindOfCover(list: DestinationList, to: Destination, nowMs: number): ListKind | undefined {
  if (list.entries.length === 0) return undefined;
  const has = (kind: ListKind, value: string): boolean => (list.exact.get(keyOf(kind, value)) ?? 0) > nowMs;
  if (has('number', to.number)) return 'number';
  if (list.lengths.some((length) => has('prefix', to.number.slice(0, length)))) return 'prefix';
  if (to.address !== null && (has('address', to.address) || isWithinNetworks(list, to.address, nowMs)))
    return 'address';
  return has('country', to.country) ? 'country' : undefined;
}

function isWithinNetworks({ networks }: DestinationList, text: string, nowMs: number): boolean {
  if (networks.length === 0) return false;
  const address = ipaddr.process(text);
  return networks.some(({ network, until_ms }) => until_ms > nowMs && isWithin(address, network));
}

const isWithin = (address: Address, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** The stored form of an entry's value, or a sentence that explains the error. */
export function normaliseEntry(kind: ListKind, text: string): { value: string } | { problem: string } {
  const normalised = NORMALISED[kind](text);
  return normalised === undefined ? { problem: PROBLEMS[kind] } : { value: normalised };
}

const PROBLEMS: Record<ListKind, string> = {
  number: NUMBER_MESSAGE,
  prefix: PREFIX_MESSAGE,
  address: ADDRESS_MESSAGE,
  country: COUNTRY_MESSAGE,
};

const NORMALISED: Record<ListKind, (text: string) => string | undefined> = {
  // Also accepts numbers from ranges that the built-in numbering plans do not list yet.
  number: (text) => {
    const e164 = plainPhone(text).startsWith('+') ? possiblePhone(text, { defaultRegion: 'US' }) : undefined;
    return e164 !== undefined && countryOfPhone(e164) !== undefined ? e164 : undefined;
  },
  prefix: (text) => {
    const digits = text.replace(/[\s().-]/g, '');
    return /^\+[1-9]\d{0,13}$/.test(digits) ? digits : undefined;
  },
  address: (text) => {
    if (ipaddr.isValid(text) && /[.:]/.test(text)) return ipaddr.process(text).toString();
    if (!ipaddr.isValidCIDR(text)) return undefined;
    const [address, bits] = ipaddr.parseCIDR(plainNetwork(text));
    const Kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
    return `${Kind.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
  },
  country: (text) => (countriesOfPhones().has(text.toUpperCase()) ? text.toUpperCase() : undefined),
};
