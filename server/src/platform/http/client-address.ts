import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Origin } from './serve.ts';

/**
 * The client's address for the database's inet type. Null if a proxy sent something else in its header, such as an address with
 * a port.
 */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string | null =>
  // Every request has an address, mostly this kind, of which there is only one spelling.
  isIPv4(ip) ? ip : ipaddr.isValid(ip) ? ipaddr.process(ip).toString().replace(/%.*$/, '') : null;

const AGENT_MOST = 300;

export function originOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Origin {
  const agent = request.headers['user-agent'];
  return {
    ip_address: addressOf(request),
    user_agent: agent ? agent.replace(/\p{Cc}/gu, ' ').slice(0, AGENT_MOST) : null,
  };
}
