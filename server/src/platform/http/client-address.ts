import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * Where a call comes from, as the database's inet type takes it; null where a proxy wrote something else into its header,
 * such as an address with a port.
 */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string | null =>
  ipaddr.isValid(ip) ? ipaddr.process(ip).toString().replace(/%.*$/, '') : null;
