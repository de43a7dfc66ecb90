import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { originOf } from '../platform/http/client-address.ts';
import type { Origin } from '../platform/http/serve.ts';

/** The network origin of a request. */
export interface Client extends Origin {
  /** The unit of rate limits: one IPv4 address, or one IPv6 /64, because a host can choose any address in it. */
  network: string;
  /** The unit of known networks: an IPv4 /24 or an IPv6 /56. Null without an address. */
  home: string | null;
  /**
   * The nested networks that the hash queue shares turns between, widest first: /16, /24, /32 of IPv4; /32, /48, /56, /64 of
   * IPv6.
   */
  networks: readonly string[];
}

const HOME = { ipv4: 24, ipv6: 56 } as const;
const NESTED = { ipv4: [16, 24, 32], ipv6: [32, 48, 56, 64] } as const;

export function clientOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const origin = originOf(request);
  const address = origin.ip_address === null ? undefined : ipaddr.parse(origin.ip_address);
  return {
    ...origin,
    network: address ? networkOf(address) : 'unknown',
    home: address ? prefixOf(address, HOME[address.kind()]) : null,
    networks: address ? NESTED[address.kind()].map((bits) => prefixOf(address, bits)) : ['unknown'],
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function networkOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}

function prefixOf(address: Address, bits: number): string {
  const bytes = address
    .toByteArray()
    .map((byte, n) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * n))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
