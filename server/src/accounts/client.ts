import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Where a call comes from. */
export interface Client {
  /** As an address of the `inet` type, or null. */
  ip_address: string | null;
  user_agent: string | null;
  /** What limits count by: one IPv4 address, or the /64 that an IPv6 host can pick its addresses from. */
  network: string;
  /** By what an account remembers where it signed in: the /24 of IPv4, the /56 of IPv6. Null without an address. */
  home: string | null;
  /** The nested networks that share the hashing queue, widest first: /16, /24, /32 of IPv4; /32, /48, /56, /64 of IPv6. */
  networks: readonly string[];
}

const HOME = { ipv4: 24, ipv6: 56 } as const;
const NESTED = { ipv4: [16, 24, 32], ipv6: [32, 48, 56, 64] } as const;

export function clientOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const address = ipaddr.isValid(request.ip) ? ipaddr.process(request.ip) : undefined;
  const agent = request.headers['user-agent'];
  return {
    ip_address: address?.toString().replace(/%.*$/, '') ?? null,
    user_agent: agent ? agent.replace(/\p{Cc}/gu, ' ').slice(0, 300) : null,
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
