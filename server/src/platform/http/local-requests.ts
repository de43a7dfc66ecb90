import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../platform.ts';
import { equalSecrets } from '../vault.ts';

/**
 * Whether the request comes from the operator: from this machine, if other machines cannot reach the service, or with
 * METRICS_TOKEN. On a public deployment, a local proxy may send its upstream's address as `Host`, as nginx does.
 */
export function isOperator({ config }: Needs<'config'>, request: FastifyRequest): boolean {
  const token = /^bearer +(\S+)$/i.exec(request.raw.headers.authorization ?? '')?.[1];
  if (config.metricsToken && token && equalTexts(config.metricsToken, token)) return true;
  return !config.isPublic && isLocal(request);
}

const equalTexts = (a: string, b: string): boolean => equalSecrets(Buffer.from(a), Buffer.from(b));

const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'];

/**
 * Whether a request comes from this machine: a loopback peer, a local `Host` (which protects against DNS rebinding) and no proxy
 * headers, because a proxy may forward any client.
 */
export function isLocal(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw;
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (Object.keys(headers).some((name) => FORWARDED.includes(name) || name.startsWith('x-forwarded-')))
    return false;
  return isLocalHost(headers.host ?? '');
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);

function isLocalHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
