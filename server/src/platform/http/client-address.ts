import type { FastifyRequest } from 'fastify';
import { addressInText } from '../addresses/address-text.ts';
import type { Origin } from './serve.ts';

/** The client's address for the database's inet type. Null only if the connection has none, as one that has closed. */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string | null =>
  addressInText(ip ?? '') ?? null;

const AGENT_MOST = 300;

export function originOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Origin {
  const agent = request.headers['user-agent'];
  return {
    ip_address: addressOf(request),
    user_agent: agent ? agent.replace(/\p{Cc}/gu, ' ').slice(0, AGENT_MOST) : null,
  };
}
