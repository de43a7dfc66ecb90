import { once } from 'node:events';
import type { Server as HttpServer, IncomingHttpHeaders } from 'node:http';
import { BlockList, createServer, isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { addressInText, plainNetwork } from '../addresses/ip-network.ts';
import type { Needs } from '../platform.ts';
import { equalSecrets } from '../security/vault.ts';
import type { Origin, Server } from './serve.ts';

/**
 * Whether the request comes from the operator: it carries METRICS_TOKEN, or it comes from this machine and other machines
 * cannot reach the service. Requests on a public deployment can look local, because a proxy on the same machine may send its
 * upstream's address as `Host`, as nginx does. Once a browser has used such a proxy, the deployment counts as public,
 * regardless of its settings.
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
 * Whether a request comes from this machine. It must have a loopback peer, a local `Host` (which protects against DNS
 * rebinding) and no proxy headers, because a proxy may forward any client.
 */
function isLocal(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw;
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (Object.keys(headers).some((name) => FORWARDED.includes(name) || name.startsWith('x-forwarded-')))
    return false;
  return isLocalHost(headers.host ?? '');
}

/**
 * The host of the page that made this request, if the request looks local but the page's host is not. The browser reports that
 * the page has the same origin as the service, so a proxy must have replaced `Host`. Other sites and DNS rebinding cannot cause
 * this.
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

/** The settings that determine who can reach the service. */
interface Exposure {
  host: string;
  publicUrl: string | undefined;
  apiUrl: string | undefined;
  trustedProxies: readonly string[];
}

/**
 * Whether other machines may reach the service: it listens on more than loopback, its public address is not a loopback address,
 * or a proxy forwards requests to it.
 */
export function isPublicDeployment({ host, publicUrl, apiUrl, trustedProxies }: Exposure): boolean {
  const hosts = [host, ...[publicUrl, apiUrl].flatMap((url) => (url ? [new URL(url).hostname] : []))];
  return trustedProxies.length > 0 || !hosts.every(isLoopbackHost);
}

/** Whether a host name or address is local to this machine. Accepts URL spelling, such as `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  // RFC 6761: names below localhost always resolve to loopback.
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** The settings that determine whether test cards could pay for real messages. */
interface TestMoney {
  isPublic: boolean;
  production: boolean;
  /** cards are simulated: a sandbox without Stripe keys */
  hasSandboxCards: boolean;
  stripeKeys: Record<string, string | undefined>;
  /** carriers that send real messages */
  realCarriers: readonly string[];
  /** the settings that choose carriers */
  carrierSettings: readonly string[];
}

/** Prevents strangers from buying real messages with a test card. */
export function testMoneyProblems(money: TestMoney): string[] {
  const testKeys = Object.keys(money.stripeKeys).filter((name) =>
    isStripeTestKey(money.stripeKeys[name] ?? ''),
  );
  const have = testKeys.length > 1 ? 'are Stripe test keys' : 'is a Stripe test key';
  if (money.production && testKeys.length > 0)
    return [
      `${testKeys.join(' and ')} ${have}, and production takes real cards: set the live keys, or leave NODE_ENV=production out for a test deployment`,
    ];
  if (!money.isPublic || money.realCarriers.length === 0) return [];
  const carriers = money.realCarriers.join(', ');
  const settings = new Intl.ListFormat('en-GB').format(money.carrierSettings);
  const others = 'others can reach this service (by PUBLIC_URL, API_URL, HOST or TRUSTED_PROXIES)';
  if (testKeys.length > 0)
    return [
      `${testKeys.join(' and ')} ${have}, and ${others}: test cards would pay for real messages by ${carriers}. Set Stripe's live keys, or send every channel to the inbox with ${settings}=sandbox`,
    ];
  if (money.hasSandboxCards)
    return [
      `Cards are test cards in a sandbox, and ${others}: they would pay for real messages by ${carriers}. Set SANDBOX=0, or Stripe's live keys, or send every channel to the inbox with ${settings}=sandbox`,
    ];
  return [];
}

const isStripeTestKey = (key: string): boolean => /^(sk|rk|pk)_test_/.test(key);

/**
 * The client's address for the database type `inet`. Null only if the connection has none, for example because it has closed.
 */
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

/** Names for the address ranges of proxies near the service. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
export const PROXY_NAMES = Object.keys(RANGES);

/** The prefix lengths of the widest networks that one owner can have: 10.0.0.0/8 and fc00::/7. */
const LEAST_BITS = { ipv4: 8, ipv6: 7 } as const;
const MAPPED = ipaddr.IPv6.parse('::ffff:0:0');

/** Whether a range is so wide that it must contain strangers' addresses. */
export function isTooWide(name: string): boolean {
  if (!ipaddr.isValidCIDR(name)) return false;
  const [address, bits] = ipaddr.parseCIDR(plainNetwork(name));
  if (bits < LEAST_BITS[address.kind()]) return true;
  return address instanceof ipaddr.IPv6 && bits <= 96 && MAPPED.match(address, bits);
}

/** Decides whether an address belongs to a proxy that is trusted to name the address of its client. */
export function trustedProxies(names: readonly string[]): (address: string | undefined) => boolean {
  const trusted = new BlockList();
  for (const network of names.flatMap((name) => RANGES[name] ?? [plainNetwork(name)])) {
    const [address, bits] = ipaddr.isValidCIDR(network)
      ? ipaddr.parseCIDR(network)
      : [ipaddr.parse(network), undefined];
    const family = address.kind();
    const text = address.toString().replace(/%.*/s, '');
    if (bits === undefined) trusted.addAddress(text, family);
    else trusted.addSubnet(text, bits, family);
  }
  return (given) => {
    const address = given === undefined ? undefined : addressInText(given);
    return address !== undefined && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
}

const XFF = 'x-forwarded-for';

/**
 * Normalizes proxies' headers, which have many forms, to plain addresses in `X-Forwarded-For`, from which Fastify takes the
 * client's address. Uses `Forwarded` if there is no `X-Forwarded-For`. An entry without an address ends the chain, and the
 * proxy that wrote the entry counts as the client.
 */
export function plainForwarding(headers: IncomingHttpHeaders): void {
  const listed = headers[XFF];
  const entries =
    typeof listed === 'string'
      ? listed.split(',')
      : headers.forwarded === undefined
        ? undefined
        : forwardedFor(headers.forwarded);
  if (entries === undefined) return;
  const addresses = entries.filter((text) => text.trim() !== '').map(addressInText);
  headers[XFF] = addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', ');
}

/** The `for` value of each element (RFC 7239). Quoted texts may contain the separators. */
function forwardedFor(text: string): string[] {
  const quotedOr = (others: string) => new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"|[^${others}"]|")+`, 'g');
  return (text.match(quotedOr(',')) ?? []).map((element) => {
    const pairs = element.match(quotedOr(';')) ?? [];
    const value = pairs.map((pair) => /^\s*for\s*=(.*)$/is.exec(pair)?.[1]).find((one) => one !== undefined);
    return (value ?? 'unknown').replace(/\\(.)/gs, '$1');
  });
}

/**
 * Also accepts connections to the same port of ::1, because browsers may try that address first for `localhost`. Does nothing
 * on a machine without IPv6. `isTaken` is true if another program listens there, so that `localhost` may not reach this
 * service. `close` stops accepting connections; open ones belong to `http`.
 */
export async function listenOnIpv6Loopback(
  http: HttpServer,
  port: number,
): Promise<{ isTaken: boolean; close(): void }> {
  const also = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    http.emit('connection', socket);
  });
  also.listen({ port, host: '::1', ipv6Only: true });
  try {
    await once(also, 'listening');
  } catch (error) {
    return { isTaken: (error as NodeJS.ErrnoException).code === 'EADDRINUSE', close: () => undefined };
  }
  return { isTaken: false, close: () => also.close() };
}
