import ipaddr from 'ipaddr.js';

/** The settings that decide who can reach the service. */
export interface Exposure {
  host: string;
  publicUrl: string | undefined;
  apiUrl: string | undefined;
  trustedProxies: readonly string[];
}

/**
 * Whether people on other machines may reach the service: it listens beyond loopback, its address is not a loopback
 * address, or a proxy forwards requests to it.
 */
export function isPublicDeployment({ host, publicUrl, apiUrl, trustedProxies }: Exposure): boolean {
  const hosts = [host, ...[publicUrl, apiUrl].flatMap((url) => (url ? [new URL(url).hostname] : []))];
  return trustedProxies.length > 0 || !hosts.every(isLoopbackHost);
}

/** Whether a host name or address reaches this machine only. Accepts URL spelling, such as `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  // RFC 6761: names below localhost always resolve to loopback.
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}
