import type { FastifyRequest } from 'fastify';
import { apiBase, type Config } from '../config.ts';
import { isLoopbackHost } from './client-address.ts';

type Urls = Pick<Config, 'apiUrl' | 'publicUrl'>;

/**
 * The API's URL for its clients: API_URL or PUBLIC_URL. If neither has a public host, the requested host, because localhost and
 * 127.0.0.1 are different origins to a browser.
 */
export function apiUrlFor(config: Urls, request: FastifyRequest): string {
  const { apiUrl, publicUrl } = config;
  if (apiUrl || (publicUrl && isReachable(publicUrl))) return apiBase(config);
  return apiBase({ apiUrl: undefined, publicUrl: requestedUrl(request) });
}

/** The dashboard's URL without a final slash: PUBLIC_URL, or the requested host if it has no public one. */
export const siteUrlFor = ({ publicUrl }: Urls, request: FastifyRequest): string =>
  (publicUrl && isReachable(publicUrl) ? publicUrl : requestedUrl(request)).replace(/(?<!\/)\/+$/, '');

const requestedUrl = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;

/** Whether the host of a URL can be that of other machines. */
export function isReachable(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return !isLoopbackHost(host) && host !== '0.0.0.0' && host !== '::';
}
