import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Where a call comes from. */
export interface Client {
  /** As an address of the `inet` type, or null. */
  ip_address: string | null;
  user_agent: string | null;
  /** What limits count by: one IPv4 address, or the /64 that an IPv6 host can pick its addresses from. */
  network: string;
}

export function clientOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const address = ipaddr.isValid(request.ip) ? ipaddr.process(request.ip) : undefined;
  const agent = request.headers['user-agent'];
  return {
    ip_address: address?.toString().replace(/%.*$/, '') ?? null,
    user_agent: agent ? agent.replace(/\p{Cc}/gu, ' ').slice(0, 300) : null,
    network: address ? networkOf(address) : 'unknown',
  };
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
