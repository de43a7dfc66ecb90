import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * The client's address for the database's inet type. Null if a proxy sent something else in its header, such as an address with
 * a port.
 */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string | null =>
  ipaddr.isValid(ip) ? ipaddr.process(ip).toString().replace(/%.*$/, '') : null;
