import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../platform.ts';
import { equalSecrets } from '../security/vault.ts';
import type { Server } from './serve.ts';

/**
 * Whether the request comes from the operator: from this machine, if other machines cannot reach the service, or with
 * METRICS_TOKEN. On a public deployment, a local proxy may send its upstream's address as `Host`, as nginx does. A deployment that
 * a browser has reached through such a proxy counts as public, whatever its settings say.
 */
export function isOperator({ config }: Needs<'config'>, request: FastifyRequest): boolean {
  const token = /^bearer +(\S+)$/i.exec(request.raw.headers.authorization ?? '')?.[1];
  if (config.metricsToken && token && equalTexts(config.metricsToken, token)) return true;
  const isHidden = (request.server as Server).hiddenHost !== undefined;
  return !config.isPublic && !isHidden && isLocal(request);
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

/**
 * The host of the page that made a request which looks local. Its browser says that page and service are one origin, so a proxy has
 * replaced `Host` and told nothing else. Other sites and rebound names cannot claim that.
 */
export function hiddenHostOf(request: FastifyRequest): string | undefined {
  const { headers } = request.raw;
  if (headers['sec-fetch-site'] !== 'same-origin' || !isLocal(request)) return undefined;
  const page = URL.parse(headers.referer ?? headers.origin ?? '');
  return page?.host && !isLocalHost(page.host) ? page.host : undefined;
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);

function isLocalHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
