import type { ApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import ipaddr from 'ipaddr.js';
import { plainNetwork } from '../platform/addresses/ip-network.ts';

type Settings = Pick<ApiKey, 'scopes' | 'expires_at' | 'allowed_networks' | 'daily_credit_limit'>;

/** Whether the change gives the key more rights. */
export function widens(before: Settings, change: Parsed<typeof updateApiKey, 'body'>): boolean {
  const { scopes, expires_at, allowed_networks, daily_credit_limit } = change;
  return (
    (scopes?.some((scope) => !before.scopes.includes(scope)) ?? false) ||
    (expires_at !== undefined && isLater(expires_at, before.expires_at)) ||
    (allowed_networks !== undefined && isWider(allowed_networks, before.allowed_networks)) ||
    (daily_credit_limit !== undefined && isHigher(daily_credit_limit, before.daily_credit_limit))
  );
}

const isLater = (given: string | null, before: string | null): boolean =>
  before !== null && (given === null || Date.parse(given) > Date.parse(before));

const isHigher = (given: number | null, before: number | null): boolean =>
  before !== null && (given === null || given > before);

/** An empty list allows every network. */
function isWider(given: readonly string[], before: readonly string[]): boolean {
  if (before.length === 0) return false;
  return given.length === 0 || given.some((network) => !before.some((outer) => contains(outer, network)));
}

function contains(outer: string, inner: string): boolean {
  const [range, rangeBits] = rangeOf(outer);
  const [address, bits] = rangeOf(inner);
  return address.kind() === range.kind() && bits >= rangeBits && address.match([range, rangeBits] as never);
}

const rangeOf = (given: string): [ipaddr.IPv4 | ipaddr.IPv6, number] => {
  const network = plainNetwork(given);
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};
