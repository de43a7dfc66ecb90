import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, isIPv4, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { hostOf, isPublicUnicast } from './address.ts';

/** The reason that a call got no response. Customers see it in the list of attempts. */
export type Reason =
  | 'invalid_url'
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol';

/** The customer sees the message, so it contains no internal or resolved address. */
export class ConnectionFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** A signal that aborts with a `timeout` ConnectionFailure after `ms` of real time. `using` clears the timer. */
export function timeLimit(ms: number, detail: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new ConnectionFailure('timeout', detail)), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'unknown error';
}

/**
 * Opens a connection to a target that a customer chose. It resolves the name once, requires every address (including IP
 * literals) to be public, and connects only to the checked addresses; SNI and certificate checks use the name. There is no agent
 * or pool, so every connection is checked.
 */

/** Returns all addresses of a host name. Without addresses, throws or returns an empty list. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ConnectOptions {
  allowPrivate: boolean;
  connectTimeoutMs: number;
  resolve?: Resolve | undefined;
  deadline: AbortSignal;
}

/** A socket ready for the request, after the TLS handshake for https. The caller destroys it. Throws `ConnectionFailure`. */
export async function connectPublic(url: URL, options: ConnectOptions): Promise<Socket> {
  const host = hostOf(url);
  const addresses = await checkedAddresses(host, options);
  const seconds = options.connectTimeoutMs / 1000;
  using limit = timeLimit(options.connectTimeoutMs, `No connection could be made within ${seconds} s.`);
  const signal = AbortSignal.any([options.deadline, limit.signal]);

  const socket = await openTcp(host, addresses, { url, signal, ...options });
  // Awaited here, so that the timeout covers the TLS handshake.
  return url.protocol === 'https:' ? await openTls(socket, host, signal) : socket;
}

async function checkedAddresses(host: string, options: ConnectOptions): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await resolveBefore(options.deadline, host, options);
  if (!options.allowPrivate && !addresses.every(isPublicUnicast)) throw blocked(host);
  // Tries IPv4 first, because nearly every receiver supports it, and a broken IPv6 route would cost each delivery seconds.
  return [...addresses.filter(isIPv4), ...addresses.filter(isIPv6)].slice(0, 4);
}

async function resolveBefore(
  deadline: AbortSignal,
  host: string,
  options: ConnectOptions,
): Promise<string[]> {
  const resolve = options.resolve ?? (options.allowPrivate ? resolveLikeThisMachine : resolvePublicly);
  const expired = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  });
  try {
    const addresses = await Promise.race([resolve(host), expired]);
    if (addresses.some((address) => isIP(address))) return addresses;
  } catch (error) {
    if (deadline.aborted) throw deadline.reason;
    throw new ConnectionFailure('dns', `The host name ${host} could not be resolved (${codeOf(error)}).`);
  }
  throw new ConnectionFailure('dns', `The host name ${host} has no address.`);
}

/**
 * The lookup of an HTTP agent that may connect only to public addresses. Every new connection of the agent is checked. An agent
 * does not look IP addresses up, so check those with `isPublicUnicast`.
 */
export const publicLookup =
  (resolve: Resolve = resolvePublicly): LookupFunction =>
  (hostname, { all }, done) => {
    const limit = { allowPrivate: false, connectTimeoutMs: LOOKUP_MS, resolve };
    checkedAddresses(hostname, { ...limit, deadline: AbortSignal.timeout(LOOKUP_MS) }).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
        if (all) done(null, found);
        else done(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error: Error) => done(error, ''),
    );
  };

const LOOKUP_MS = 5_000;

const resolver = new Resolver({ timeout: 1500, tries: 2 });

/**
 * Queries DNS directly, ignoring the hosts file and search domains. While a name server hangs, getaddrinfo would block one of
 * the pool's four threads, which password hashing also uses.
 */
const resolvePublicly: Resolve = async (hostname) => {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
  return addresses;
};

/** For development: includes localhost and the hosts file. */
const resolveLikeThisMachine: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

async function openTcp(
  host: string,
  addresses: string[],
  { url, allowPrivate, connectTimeoutMs, signal }: ConnectOptions & { url: URL; signal: AbortSignal },
): Promise<Socket> {
  const socket = connectTcp({
    // An IP address is dialed directly. For a name, the lookup hook returns the checked addresses.
    host,
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    lookup: (_hostname, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / addresses.length),
    noDelay: true,
  });
  socket.on('error', ignore);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw new ConnectionFailure('connect', connectDetail(codeOf(error)));
  }
  // Guards against a runtime that connects to another address. No bytes have been written yet.
  if (!allowPrivate && !isPublicUnicast(socket.remoteAddress ?? '')) {
    socket.destroy();
    throw blocked(host);
  }
  return socket;
}

async function openTls(tcp: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // SNI must not contain an IP address (RFC 6066, 3). The certificate is then compared with `host`.
    servername: isIP(host) ? '' : host,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  socket.on('error', ignore);
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    throw new ConnectionFailure('tls', tlsDetail(codeOf(error)));
  }
}

function blocked(host: string): ConnectionFailure {
  return new ConnectionFailure(
    'blocked_address',
    `${host} does not lead to a public address on the internet.`,
  );
}

function connectDetail(code: string): string {
  return code === 'ECONNREFUSED'
    ? 'The connection was refused.'
    : `The connection could not be made (${code}).`;
}

export function tlsDetail(code: string): string {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'The certificate of the server is for another host name.';
    case 'CERT_HAS_EXPIRED':
      return 'The certificate of the server has expired.';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'The certificate of the server is self-signed.';
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'The server does not send the complete chain of its certificate, or its issuer is not known.';
    default:
      return `A secure connection could not be made (${code}).`;
  }
}

/** Ignores later errors of a destroyed socket. Every wait above handles its own errors. */
function ignore(): void {}
